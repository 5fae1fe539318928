// The files of device images.
#include "launches.hpp"

#include "images/cache.hpp"
#include "images/file_name.hpp"

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>

using namespace kbuild::cpu;
namespace fs = std::filesystem;

namespace {

// A directory that exists as long as this object, and that no other test uses.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string path = fs::temp_directory_path() / "kbuild-test-XXXXXX";
        REQUIRE(mkdtemp(path.data()) != nullptr);
        path_ = path;
    }
    ~TemporaryDirectory() { fs::remove_all(path_); }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::size_t count_files(const fs::path& directory) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST_CASE("the cache keeps a file, and repairs it") {
    const TemporaryDirectory directory;
    const auto cache = directory.path() / "cache";
    setenv("KBUILD_CACHE_DIR", cache.c_str(), 1);
    REQUIRE(ImageFile("name.so", "image").path() == cache / "name.so");
    REQUIRE(fs::status(cache).permissions() == fs::perms::owner_all);
    const auto written = fs::last_write_time(cache / "name.so");
    ImageFile("name.so", "image");
    REQUIRE(fs::last_write_time(cache / "name.so") == written);
    std::ofstream(cache / "name.so") << "damaged";
    ImageFile("name.so", "image");
    REQUIRE(read_file((cache / "name.so").c_str()) == "image");
    REQUIRE(count_files(cache) == 1);
}

TEST_CASE("the next directory is used if one is unusable") {
    const TemporaryDirectory directory;
    const auto unusable = directory.path() / "unusable";
    const auto next = directory.path() / "xdg";
    setenv("KBUILD_CACHE_DIR", unusable.c_str(), 1);
    setenv("XDG_CACHE_HOME", next.c_str(), 1);
    SUBCASE("because others can write to it") {
        fs::create_directory(unusable);
        fs::permissions(unusable, fs::perms::all);
    }
    SUBCASE("because it is a link") {
        fs::create_directory(directory.path() / "target");
        fs::permissions(directory.path() / "target", fs::perms::owner_all);
        fs::create_directory_symlink("target", unusable);
    }
    SUBCASE("because it is a file") { std::ofstream{unusable}; }
    REQUIRE(ImageFile("name.so", "image").path() == next / "kbuild/images/name.so");
    REQUIRE((!fs::is_directory(unusable) || fs::is_empty(unusable)));
}

TEST_CASE("without a cache, the image is in a temporary directory while it is loaded") {
    const TemporaryDirectory directory;
    // A world-writable directory hides the last possible cache directory.
    require_in_child([&] {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
            MESSAGE("not tested, because there are no user namespaces");
            return;
        }
        const auto hidden = "/tmp/kbuild-" + std::to_string(geteuid());
        fs::create_directories(hidden);
        REQUIRE(mount("none", hidden.c_str(), "tmpfs", 0, "mode=777") == 0);
        setenv("KBUILD_CACHE_DIR", "relative", 1);
        unsetenv("XDG_CACHE_HOME");
        unsetenv("HOME");
        setenv("TMPDIR", directory.path().c_str(), 1);
        {
            const ImageFile file("name.so", "image");
            REQUIRE(fs::path(file.path()).parent_path().parent_path() == directory.path());
        }
        REQUIRE(fs::is_empty(directory.path()));
    });
}

TEST_CASE("a module whose image is loaded already gets another file") {
    const TemporaryDirectory cache;
    setenv("KBUILD_CACHE_DIR", cache.path().c_str(), 1);
    const Registered first, second;
    int a = 0, b = 0;
    const auto one = make_config({1, 1, 1}, {1, 1, 1});
    for (int i = 0; i < 3; ++i) REQUIRE_SUCCESS(launch(first.handle("count_launches"), one, &a));
    REQUIRE_SUCCESS(launch(second.handle("count_launches"), one, &b));
    REQUIRE(a == 3);
    REQUIRE(b == 1);
    REQUIRE(count_files(cache.path()) == 2);
}

TEST_CASE("a file name is reserved once") {
    auto first = std::make_unique<ReservedFileName>("a.so");
    REQUIRE(first->is_ours());
    REQUIRE(!ReservedFileName("a.so").is_ours());
    REQUIRE(ReservedFileName("b.so").is_ours());
    first.reset();
    REQUIRE(ReservedFileName("a.so").is_ours());
}

}  // namespace
