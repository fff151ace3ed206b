// A stand-in: a class is made through its base by its place in the file, as a loader does by its name.
#pragma once
#include <memory>
template <typename Base>
struct Plugins
{
  static inline std::unique_ptr<Base> (*make[4])() = {};
  static inline int count = 0;
};
#define PLUGINLIB_EXPORT_CLASS(Class, Base) PLUGINLIB_EXPORTED(Class, Base, __COUNTER__)
#define PLUGINLIB_EXPORTED(Class, Base, number) PLUGINLIB_NUMBERED(Class, Base, number)
#define PLUGINLIB_NUMBERED(Class, Base, number) \
  [[maybe_unused]] static const int exported_##number = \
    (Plugins<Base>::make[Plugins<Base>::count] = []() -> std::unique_ptr<Base> { return std::make_unique<Class>(); }, \
     Plugins<Base>::count++);
