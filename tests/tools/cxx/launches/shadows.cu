// Launches of names that something else has, too. Each of them starts what the language finds.
// Pointers have the types of kernels, so that a wrong kernel would compile.
#include <initializer_list>

__global__ void kernel(int) {}
__global__ void kernel_other(int) {}
template <class T>
__global__ void kernel_template(int, T) {}
template <class T>
__global__ void kernel_template_other(int, T) {}
__global__ void kernel_overloaded(int) {}
__global__ void kernel_overloaded(int, int) {}
__global__ void kernel_default(int, int = 3) {}
typedef void (*pointer)(int);
typedef void (*pair_pointer)(int, int);

// Members

struct Own {
    pointer kernel = kernel_other;
    pair_pointer kernel_template = kernel_overloaded;
    void before() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    void templated() { kernel_template<<<1, 2>>>(__LINE__, 3); }  //> kernel_overloaded(int, int)
    void global() { ::kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    void qualified() { Own::kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    void by_this() { this->kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct Late {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    void call_overloaded() { kernel_overloaded<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    static void call_default() { kernel_default<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    pointer kernel = kernel_other;
    pointer kernel_overloaded = kernel_other;
    static pointer kernel_default;
};
pointer Late::kernel_default = kernel_other;
struct Base {
    pointer kernel = kernel_other;
    pointer kernel_overloaded = kernel_other;
    pair_pointer kernel_template = kernel_default;
};
typedef Base BaseTypedef;
template <class T>
using BaseAlias = T;
struct HasBase {
    using type = Base;
};
template <class T>
struct Identity {
    using type = T;
};
Base make_base();
struct FromTypedef : BaseTypedef {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct FromAlias : private BaseAlias<Base> {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct FromType : HasBase::type {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct FromDecltype : decltype(make_base()) {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct FromTemplate : virtual Identity<Base>::type {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    void call_from_lambda() {
        [this] { kernel<<<1, 2>>>(__LINE__); }();  //> kernel_other(int)
    }
};
struct FarDerived : FromTypedef {
    void call();
};
void FarDerived::call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)

// A dependent base class is not searched for an unqualified name.
template <class T>
struct Dependent : T {
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    void call_template() { kernel_template<<<1, 2>>>(__LINE__, 3); }  //> void kernel_template<int>(int, int)
    void by_this() { this->kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    void by_name() { T::kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
template <class T>
struct Using : T {
    using T::kernel;
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
template <class T>
struct Nested {
    struct Inner {
        pointer kernel = kernel_other;
        void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    };
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    struct Late {
        static void call() { kernel_default<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    };
    static pointer kernel_default;
};
template <class T>
pointer Nested<T>::kernel_default = kernel_other;
struct Method {
    pointer kernel() { return kernel_other; }
    void call() { kernel()<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
struct Unrelated {
    int kernel, kernel_template, kernel_overloaded;
    enum { kernel_default };
};
union Union {
    int number;
    pointer kernel;
};
struct Anonymous {
    union {
        pointer kernel;
    };
    void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};

// Parameters

void parameter(pointer kernel) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void function_parameter(void kernel(int)) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void reference_parameter(void (&kernel)(int)) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void array_parameter(pointer kernel[]) { kernel[1]<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void template_parameter_of_pointer(pointer kernel_template) {
    kernel_template<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
void overloaded_parameter(pointer kernel_overloaded) {
    kernel_overloaded<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
void only_declared(pointer kernel, int kernel_template, int kernel_overloaded);
template <pointer kernel>
void template_parameter() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
template <pointer kernel_overloaded = kernel_other>
struct TemplateParameter {
    void call() { kernel_overloaded<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};
template <class kernel>
struct TypeParameter {};
template <class... Kernels>
void pack(Kernels... kernel) {
    (void)std::initializer_list<int>{(kernel<<<1, 2>>>(__LINE__), 0)...};  //> kernel(int) | kernel_other(int)
}

// Namespaces

namespace variables {
pointer kernel = kernel_other, kernel_overloaded = kernel_other;
pair_pointer kernel_template = ::kernel_overloaded;
void call() {
    kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    kernel_overloaded<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    kernel_template<<<1, 2>>>(__LINE__, 1);  //> kernel_overloaded(int, int)
    ::kernel_template<<<1, 2>>>(__LINE__, 1);  //> void kernel_template<int>(int, int)
}
namespace inside {
void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}
}  // namespace variables
namespace before_variables {
void call() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
void call_template() { kernel_template<<<1, 2>>>(__LINE__, 1); }  //> void kernel_template<int>(int, int)
pointer kernel = kernel_other;
pair_pointer kernel_template = kernel_default;
}  // namespace before_variables
__global__ void kernel_twice(int) {}
namespace kernels {
__global__ void kernel_twice(int) {}
namespace inside {
void call() { kernel_twice<<<1, 2>>>(__LINE__); }  //> kernels::kernel_twice(int)
pointer kernel_twice = kernel_other;
void call_pointer() { kernel_twice<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}  // namespace inside
void call() { inside::kernel_twice<<<1, 2>>>(__LINE__), kernel_twice<<<1, 3>>>(__LINE__); }  //> kernel_other(int) | kernels::kernel_twice(int) [1,1,1 3,1,1 0]
}  // namespace kernels
namespace directive {
namespace inside {
pointer kernel_found = kernel_other;
__global__ void kernel_hidden(int) {}
}  // namespace inside
using namespace inside;
void call() { kernel_found<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}  // namespace directive
__global__ void kernel_found(int) {}
namespace using_variable {
using directive::inside::kernel_found;
void call() { kernel_found<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}  // namespace using_variable
namespace {
pointer kernel_hidden = kernel_other;
void call_hidden() { kernel_hidden<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}  // namespace
inline namespace version {
pointer kernel_version = kernel_other;
}
namespace versions {
__global__ void kernel_version(int) {}
}
void call_version() { kernel_version<<<1, 2>>>(__LINE__), versions::kernel_version<<<1, 2>>>(__LINE__); }  //> kernel_other(int) | versions::kernel_version(int)
namespace functions {
pointer kernel_function() { return kernel_other; }
}  // namespace functions
__global__ void kernel_function(int) {}
void call_function() {
    kernel_function<<<1, 2>>>(__LINE__);  //> kernel_function(int)
    functions::kernel_function()<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    using functions::kernel_function;
    kernel_function()<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
namespace classes {
struct kernel {
    static __host__ void call() { ::kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    static pointer kernel_default;
};
pointer kernel::kernel_default = kernel_other;
void call() { kernel::kernel_default<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
}  // namespace classes
namespace objects {
struct Callable {
    pointer operator[](int) const { return kernel_other; }
    pointer operator()(int) const { return kernel_other; }
};
Callable kernel;
void call() {
    kernel[1]<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    kernel(2)<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
}  // namespace objects

// Declarators in which a name is hard to see. Nothing else has the names of these kernels.

#define KERNEL(name) \
    __global__ void name(int) {} \
    template <class T> \
    __global__ void name##_template(int, T) {}
KERNEL(kernel_and)
template <class F>
void forward(F&& kernel_and) { kernel_and<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
template <class F>
void forward_template(F&& kernel_and_template) { kernel_and_template<<<1, 2>>>(__LINE__, 3); }  //> kernel_default(int, int)
KERNEL(kernel_typed)
void typed(decltype(&kernel_other) kernel_typed) { kernel_typed<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void typed_template(__typeof__(&kernel_default) kernel_typed_template) { kernel_typed_template<<<1, 2>>>(__LINE__, 3); }  //> kernel_default(int, int)
KERNEL(kernel_attribute)
void attribute(pointer __attribute__((unused)) kernel_attribute) { kernel_attribute<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
KERNEL(kernel_parentheses)
void parentheses(pointer (kernel_parentheses)) { kernel_parentheses<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void parentheses_template() {
    pair_pointer (kernel_parentheses_template) = kernel_default;
    kernel_parentheses_template<<<1, 2>>>(__LINE__, 3);  //> kernel_default(int, int)
}
KERNEL(kernel_reference)
void reference(pointer (&kernel_reference)) { kernel_reference<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void reference_template() {
    pair_pointer one = kernel_default, &two(one), &kernel_reference_template(two);
    kernel_reference_template<<<1, 2>>>(__LINE__, 3);  //> kernel_default(int, int)
}
KERNEL(kernel_nested)
void nested(void (*((kernel_nested)))(int)) { kernel_nested<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
KERNEL(kernel_range)
void range() {
    for (auto&& kernel_range : {&kernel_other}) kernel_range<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    for (auto&& kernel_range_template : {&kernel_default}) kernel_range_template<<<1, 2>>>(__LINE__, 3);  //> kernel_default(int, int)
}
KERNEL(kernel_word)
void word() {
    for (auto and kernel_word : {&kernel_other}) kernel_word<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
KERNEL(kernel_try)
struct Try {
    int n;
    explicit Try(pointer kernel_try) try : n((throw 1, 2)) {} catch (int) { kernel_try<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
};

// A member suppresses the search for kernels in the namespaces of arguments.
namespace arguments {
struct Argument {};
__global__ void kernel_argument(int, Argument) {}
__global__ void kernel_argument_other(int, Argument) {}
}  // namespace arguments
struct ArgumentBase {
    void (*kernel_argument)(int, arguments::Argument) = arguments::kernel_argument_other;
};
struct ArgumentDerived : ArgumentBase {
    void call() { kernel_argument<<<1, 2>>>(__LINE__, arguments::Argument()); }  //> arguments::kernel_argument_other(int, arguments::Argument)
};

// A declaration in a block hides overloads.
KERNEL(kernel_block)
__global__ void kernel_block(int, double) {}
__global__ void kernel_block(int, int) {}
void block_declaration() {
    kernel_block<<<1, 2>>>(__LINE__, 1);  //> kernel_block(int, int)
    __global__ void kernel_block(int, double);
    kernel_block<<<1, 2>>>(__LINE__, 1);  //> kernel_block(int, double)
}

// Using-declarations through aliases and using-directives.
KERNEL(kernel_used)
namespace used {
namespace inside {
__global__ void kernel_used(int) {}
}
}  // namespace used
namespace used_alias = used;
namespace used_alias_again = used_alias::inside;
namespace used_directive {
using namespace used::inside;
}
void block_using() {
    { using used_alias_again::kernel_used; kernel_used<<<1, 2>>>(__LINE__); }  //> used::inside::kernel_used(int)
    { using used_directive::kernel_used; kernel_used<<<1, 2>>>(__LINE__); }  //> used::inside::kernel_used(int)
    kernel_used<<<1, 2>>>(__LINE__);  //> kernel_used(int)
}

// Initializers
struct InitializerBase {
    pointer kernel_range = kernel_other, kernel_word = kernel_other;
};
struct Initializer : InitializerBase {
    int n = (kernel_range<<<1, 2>>>(__LINE__), 4);  //> kernel_other(int)
    int m = (kernel_range_template<<<1, 2>>>(__LINE__, 5), 4);  //> void kernel_range_template<int>(int, int)
};
struct Constructor : InitializerBase {
    int n;
    Constructor() : n((kernel_word<<<1, 2>>>(__LINE__), 4)) {}  //> kernel_other(int)
    explicit Constructor(int);
};
Constructor::Constructor(int) : n((kernel_range<<<1, 2>>>(__LINE__), 4)) {}  //> kernel_other(int)

// Blocks

unsigned identity(unsigned n) { return n; }
int* null() { return nullptr; }
template <class T>
void use(T) {}
void blocks() {
    { pointer kernel = kernel_other; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    { pointer kernel(kernel_other); kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { pointer kernel{kernel_other}; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { auto kernel = &kernel_other; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { auto& kernel = kernel_other; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { auto&& kernel = kernel_other; (kernel)<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { void (&kernel)(int) = kernel_other; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { void (*const kernel)(int) = kernel_other; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { int one = 1; pointer two = nullptr, kernel = kernel_other; (void)one, (void)two, kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { static pointer kernel = kernel_other; use([] { kernel<<<1, 2>>>(__LINE__); }), kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { kernel<<<1, 2>>>(__LINE__); pointer kernel = kernel_other; (void)kernel; }  //> kernel(int)
    { kernel_template<<<1, 2>>>(__LINE__, 1); pointer kernel_template = kernel_other; (void)kernel_template; }  //> void kernel_template<int>(int, int)
    { { pointer kernel_template = kernel_other; (void)kernel_template; } kernel_template<<<1, 2>>>(__LINE__, 1.0f); }  //> void kernel_template<float>(int, float)
    { pointer kernel_template = kernel_other; { kernel_template<<<1, 2>>>(__LINE__); } }  //> kernel_other(int)
    if (pointer kernel = kernel_other) kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    if (pointer kernel = nullptr) use(kernel); else kernel = kernel_other, kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    if (pointer kernel_template = kernel_other) kernel_template<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    kernel_template<<<1, 2>>>(__LINE__, 'a');  //> void kernel_template<char>(int, char)
    for (pointer kernel = kernel_other; kernel; kernel = nullptr) kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    for (pointer kernel_template = kernel_other; kernel_template; kernel_template<<<1, 2>>>(__LINE__), kernel_template = nullptr) {}  //> kernel_other(int)
    for (pointer kernel : {kernel_other}) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    for (int n = 0; n < 1; ++n) for (pointer kernel_template : {kernel_other}) if (n) {} else kernel_template<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    while (pointer kernel = kernel_other) { kernel<<<1, 2>>>(__LINE__); break; }  //> kernel_other(int)
    switch (int kernel = 1) { default: (void)kernel, ::kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    try { throw &kernel_other; } catch (pointer kernel) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    try { throw &kernel_other; } catch (pointer kernel_template) { kernel_template<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { struct kernel { int n; }; kernel_template<<<1, 2>>>(__LINE__, kernel{3}.n); }  //> void kernel_template<int>(int, int)
    { enum { kernel_default = 4 }; ::kernel_default<<<1, 2>>>(__LINE__, kernel_default); }  //> kernel_default(int, int)
    { goto kernel_default; kernel_default: kernel_default<<<1, 2>>>(__LINE__); }  //> kernel_default(int, int)
    { goto kernel; kernel: kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    [](pointer kernel) { kernel<<<1, 2>>>(__LINE__); }(kernel_other);  //> kernel_other(int)
    [](pointer kernel_template) { kernel_template<<<1, 2>>>(__LINE__); }(kernel_other);  //> kernel_other(int)
    { pointer kernel = kernel_other; [kernel] { kernel<<<1, 2>>>(__LINE__); }(); }  //> kernel_other(int)
    { pointer kernel_default = kernel_other; [&] { [=] { kernel_default<<<1, 2>>>(__LINE__); }(); }(); }  //> kernel_other(int)
    { using variables::kernel; kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { using variables::kernel_overloaded; kernel_overloaded<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { using kernels::kernel_twice; kernel_twice<<<1, 2>>>(__LINE__); }  //> kernels::kernel_twice(int)
    kernel_twice<<<1, 2>>>(__LINE__);  //> kernel_twice(int)
    { namespace variables = kernels; variables::kernel_twice<<<1, 2>>>(__LINE__); }  //> kernels::kernel_twice(int)
    { pointer kernel = kernel_other; kernel<<<identity(1), 2>>>((::kernel<<<1, 2>>>(__LINE__), __LINE__)); }  //> kernel(int) | kernel_other(int)
    { extern pointer kernel_extern; kernel_extern<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { unsigned kernel = 2; ::kernel<<<kernel, kernel>>>(__LINE__); }  //> kernel(int) [2,1,1 2,1,1 0]
    { int* kernel_default = null(); (void)kernel_default; } kernel_default<<<1, 2>>>(__LINE__);  //> kernel_default(int, int)
}
pointer kernel_extern = kernel_other;
namespace local_class {
void call() {
    struct Local {
        pointer kernel_overloaded = kernel_other;
        void call() { kernel_overloaded<<<1, 2>>>(__LINE__), ::kernel_overloaded<<<1, 2>>>(__LINE__, 1); }  //> kernel_other(int) | kernel_overloaded(int, int)
    } kernel;
    kernel.kernel_overloaded<<<1, 2>>>(__LINE__), kernel.call();  //> kernel_other(int)
    Local* kernel_template = &kernel;
    kernel_template->kernel_overloaded<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    (*kernel_template).kernel_overloaded<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    auto member = &Local::kernel_overloaded;
    (kernel.*member)<<<1, 2>>>(__LINE__), (kernel_template->*member)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
}
}  // namespace local_class

void handled(pointer kernel_template) try { throw 1; } catch (int) { kernel_template<<<1, 2>>>(__LINE__); }  //> kernel_other(int)

int main() {
    handled(kernel_other);
    Own own;
    own.before(), own.templated(), own.global(), own.qualified(), own.by_this();
    Late late;
    late.call(), late.call_overloaded(), late.call_default();
    FromTypedef().call(), FromAlias().call(), FromType().call();
    FromDecltype().call(), FromTemplate().call(), FromTemplate().call_from_lambda();
    FarDerived().call();
    Dependent<Base> dependent;
    dependent.call(), dependent.call_template(), dependent.by_this(), dependent.by_name();
    Using<Base>().call();
    Nested<int>::Inner().call(), Nested<int>().call(), Nested<int>::Late::call();
    Method().call();
    Union onion;
    onion.kernel = kernel_other;
    onion.kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    Anonymous anonymous;
    anonymous.kernel = kernel_other;
    anonymous.call();
    parameter(kernel_other), function_parameter(kernel_other), reference_parameter(kernel_other);
    pointer array[] = {kernel, kernel_other};
    array_parameter(array), template_parameter_of_pointer(kernel_other);
    overloaded_parameter(kernel_other), template_parameter<kernel_other>();
    TemplateParameter<>().call();
    pack(kernel, &kernel_other);
    variables::call(), variables::inside::call();
    before_variables::call(), before_variables::call_template();
    kernels::inside::call(), kernels::inside::call_pointer(), kernels::call();
    directive::call(), using_variable::call(), call_hidden(), call_version(), call_function();
    classes::kernel::call(), classes::call(), objects::call();
    forward(kernel_other), forward_template(kernel_default), typed(kernel_other);
    typed_template(kernel_default), attribute(kernel_other), parentheses(kernel_other);
    parentheses_template(), reference(array[1]), reference_template(), nested(kernel_other);
    range(), word();
    try { Try{kernel_other}; } catch (int) {}
    ArgumentDerived().call(), block_declaration(), block_using();
    (void)Initializer(), (void)Constructor(), (void)Constructor(3);
    blocks(), local_class::call();
}
