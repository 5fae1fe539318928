/* Names that end with the id of an object whose device code waits for a device link. */
#ifndef KBUILD_DETAIL_LINK_NAMES_H
#define KBUILD_DETAIL_LINK_NAMES_H

#define KBUILD_JOIN_EXPANDED(a, b) a##b
#define KBUILD_JOIN(a, b) KBUILD_JOIN_EXPANDED(a, b)
#define KBUILD_QUOTE_EXPANDED(a) #a
#define KBUILD_QUOTE(a) KBUILD_QUOTE_EXPANDED(a)

/* The function through which an object registers, if the backend has no tool of its own that links
 * device code, and the variable by which the device link refers to the object. */
#define KBUILD_LINK_FUNCTION(id) KBUILD_JOIN(__kbuildRegisterLinkedBinary, id)
#define KBUILD_LINKED_OBJECT(id) KBUILD_JOIN(__kbuildLinkedObject, id)

#endif
