// A stand-in: the class is made through its base, as a loader does.
#pragma once
#include <memory>
#define PLUGINLIB_EXPORT_CLASS(Class, Base) \
  std::unique_ptr<Base> make_plugin() \
  { \
    return std::make_unique<Class>(); \
  }
