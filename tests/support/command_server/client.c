/* Passes a command to the server in server.py, and ends as the command ends. */

#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 3, FAILURE = 70 };

extern char** environ;

static int connect_to_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, SERVER_NAME, sizeof SERVER_NAME - 1);
    const socklen_t size = offsetof(struct sockaddr_un, sun_path) + sizeof SERVER_NAME;
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr*)&address, size) != 0) return -1;
    return connection;
}

static int send_files(int connection)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union {
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(FILES * sizeof(int));
    const int files[FILES] = {0, 1, 2};
    memcpy(CMSG_DATA(header), files, sizeof files);
    return sendmsg(connection, &message, 0) == 1;
}

/* Writes words with a null byte after each. */
static void put_words(FILE* stream, char** words)
{
    for (; *words != NULL; words++) fwrite(*words, 1, strlen(*words) + 1, stream);
}

int main(int count, char** arguments)
{
    char directory[PATH_MAX];
    const int connection = connect_to_server();
    if (connection < 0 || getcwd(directory, sizeof directory) == NULL || !send_files(connection)) {
        execv(INSTALLED_COMMAND, arguments);
        return FAILURE;
    }
    char* content = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&content, &size);
    fprintf(stream, "%s%c%d%c", directory, 0, count, 0);
    put_words(stream, arguments);
    put_words(stream, environ);
    fclose(stream);
    const uint32_t length = (uint32_t)size;
    if (send(connection, &length, sizeof length, 0) != sizeof length) return FAILURE;
    for (size_t sent = 0; sent < size;) {
        const ssize_t part = send(connection, content + sent, size - sent, 0);
        if (part <= 0) return FAILURE;
        sent += (size_t)part;
    }
    int32_t status = 0;
    if (recv(connection, &status, sizeof status, MSG_WAITALL) != sizeof status) return FAILURE;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
