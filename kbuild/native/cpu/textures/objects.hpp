// The objects of one type that the program has created: checks handles, which are addresses.
#ifndef KBUILD_CPU_TEXTURES_OBJECTS_HPP
#define KBUILD_CPU_TEXTURES_OBJECTS_HPP

#include "fork_safe_mutex.hpp"
#include "api/errors.hpp"
#include "checks/checker.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace kbuild::cpu {

template <class T>
class Objects {
public:
    // Never freed, because programs destroy objects in atexit handlers and destructors, too.
    static Objects& instance() {
        static auto* const objects = new Objects;
        return *objects;
    }

    T* add(std::unique_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        T* const address = object.get();
        if (checks::is_active()) checks::Checker::instance().accept(address, sizeof *address);
        objects_[address] = std::move(object);
        return address;
    }

    // Throws Failure if the object does not exist. It must exist as long as the caller uses it.
    T& find(const void* handle) {
        const std::lock_guard lock(mutex_);
        return *look_up(handle)->second;
    }

    std::unique_ptr<T> remove(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = look_up(handle);
        auto object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        objects_.clear();
    }

private:
    Objects() = default;

    auto look_up(const void* handle) {
        const auto found = objects_.find(handle);
        if (found == objects_.end())
            throw Failure(KBUILD_CPU_INVALID_HANDLE,
                          std::string("the ") + T::what + " does not exist or was destroyed");
        return found;
    }

    ForkSafeMutex mutex_{LockRank::objects};
    std::map<const void*, std::unique_ptr<T>> objects_;
};

}  // namespace kbuild::cpu

#endif
