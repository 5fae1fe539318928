#include "streams/user_objects.hpp"

#include "api/errors.hpp"

#include <climits>

namespace kbuild::cpu {
namespace {

constexpr std::uintptr_t object_handle_step = 16;

void check_count(unsigned count) {
    require(count != 0 && count <= INT_MAX, "the number of references must be from 1 to INT_MAX");
}

}  // namespace

UserObject::~UserObject() {
    const HostScope scope;
    destroy_(data_);
}

void UserObjectReferences::add(void* handle, const std::shared_ptr<UserObject>& object,
                               unsigned count) {
    check_count(count);
    auto& references = references_[handle];
    references.object = object;
    references.count += count;
}

void UserObjectReferences::remove(void* handle, unsigned count) {
    check_count(count);
    const auto found = references_.find(handle);
    require(found != references_.end() && found->second.count >= count,
            "there are not so many references to the user object");
    found->second.count -= count;
    if (found->second.count == 0) references_.erase(found);
}

std::shared_ptr<UserObject> UserObjectReferences::find(void* handle) const {
    const auto found = references_.find(handle);
    return found == references_.end() ? nullptr : found->second.object;
}

UserObjects& UserObjects::instance() {
    static auto* const objects = new UserObjects;
    return *objects;
}

void* UserObjects::create(void (*destroy)(void*), void* data, unsigned count) {
    require(destroy != nullptr, "the function is a null pointer");
    check_count(count);
    const std::lock_guard lock(mutex_);
    void* const handle = reinterpret_cast<void*>(last_handle_ += object_handle_step);
    references_.add(handle, std::make_shared<UserObject>(destroy, data), count);
    return handle;
}

void UserObjects::retain(void* handle, unsigned count) {
    const auto object = find(handle);
    const std::lock_guard lock(mutex_);
    references_.add(handle, object, count);
}

// The object is destroyed without the lock.
void UserObjects::release(void* handle, unsigned count) {
    const auto object = find(handle);
    const std::lock_guard lock(mutex_);
    references_.remove(handle, count);
}

std::shared_ptr<UserObject> UserObjects::find(void* handle) {
    const std::lock_guard lock(mutex_);
    auto object = references_.find(handle);
    require(object != nullptr, "the user object does not exist or was destroyed");
    return object;
}

}  // namespace kbuild::cpu
