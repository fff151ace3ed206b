
set(UNIT ${CMAKE_CURRENT_BINARY_DIR}/@PREFIX@)
file(ARCHIVE_EXTRACT INPUT ${CMAKE_CURRENT_SOURCE_DIR}/@PREFIX@.fmu DESTINATION ${UNIT})
add_library(@PREFIX@ SHARED ${UNIT}/sources/fmu.c ${UNIT}/sources/@PREFIX@.c)
set_target_properties(@PREFIX@ PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
if(WIN32)
  set(PLATFORM x86_64-windows)
elseif(APPLE)
  set(PLATFORM ${CMAKE_SYSTEM_PROCESSOR}-darwin)
  set_target_properties(@PREFIX@ PROPERTIES SUFFIX ".dylib")
else()
  set(PLATFORM ${CMAKE_SYSTEM_PROCESSOR}-linux)
  target_link_libraries(@PREFIX@ m)
endif()
add_custom_command(TARGET @PREFIX@ POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${UNIT}/binaries/${PLATFORM}
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:@PREFIX@> ${UNIT}/binaries/${PLATFORM}/
  COMMAND ${CMAKE_COMMAND} -E chdir ${UNIT} ${CMAKE_COMMAND} -E tar cf ../@PREFIX@.fmu --format=zip
    modelDescription.xml sources binaries documentation)
