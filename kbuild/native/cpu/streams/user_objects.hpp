// Objects of the program that graphs keep.
#ifndef KBUILD_CPU_STREAMS_USER_OBJECTS_HPP
#define KBUILD_CPU_STREAMS_USER_OBJECTS_HPP

#include "fork_safe_mutex.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace kbuild::cpu {

// Calls the program's function when nothing refers to the object anymore.
class UserObject {
public:
    UserObject(void (*destroy)(void*), void* data) : destroy_(destroy), data_(data) {}
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

private:
    void (*destroy_)(void*);
    void* data_;
};

// Counted references to objects. The functions throw Failure.
class UserObjectReferences {
public:
    void add(void* handle, const std::shared_ptr<UserObject>& object, unsigned count);
    void remove(void* handle, unsigned count);
    // Returns the object, or null.
    std::shared_ptr<UserObject> find(void* handle) const;
    bool is_empty() const { return references_.empty(); }

private:
    struct References {
        std::shared_ptr<UserObject> object;
        std::uint64_t count = 0;
    };
    std::map<void*, References> references_;
};

// The references of the program. Handles are those of Streams: in neither heap nor stack.
class UserObjects {
public:
    // Never freed, because programs release objects in atexit handlers, too.
    static UserObjects& instance();

    void* create(void (*destroy)(void*), void* data, unsigned count);
    void retain(void* handle, unsigned count);
    void release(void* handle, unsigned count);
    std::shared_ptr<UserObject> find(void* handle);

private:
    ForkSafeMutex mutex_{LockRank::user_objects};
    std::uintptr_t last_handle_ = 0;
    UserObjectReferences references_;
};

}  // namespace kbuild::cpu

#endif
