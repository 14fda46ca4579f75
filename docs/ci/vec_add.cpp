// Adds two vectors with 1 to 32 work-groups of 256 work-items in sub-groups of 32: a kernel per count, each long enough for a
// sampled counter. With few work-groups most of the GPU is idle, so predicted and measured occupancy go from a few percent to
// 100. Build: icpx -fsycl -O2 vec_add.cpp -o vec_add
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

constexpr size_t group_size = 256;
constexpr int sub_group = 32;
constexpr size_t elements = 1 << 24;
constexpr int rounds = 20; // over the whole vector

template <int groups> class VectorAdd;

template <int groups> void add(sycl::queue &q, const float *a, const float *b, float *sum) {
  const auto start = std::chrono::steady_clock::now();
  q.parallel_for<VectorAdd<groups>>(sycl::nd_range<1>(groups * group_size, group_size),
                                    [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(sub_group)]] {
                                      for (int r = 0; r < rounds; ++r)
                                        for (size_t i = it.get_global_id(0); i < elements; i += it.get_global_range(0))
                                          sum[i] = a[i] + b[i];
                                    })
      .wait_and_throw();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%d work-groups: %.6f s\n", groups, took.count());
}

template <int... groups> void add_all(sycl::queue &q, const float *a, const float *b, float *sum, std::integer_sequence<int, groups...>) {
  (add<groups>(q, a, b, sum), ...);
}

int main() {
  sycl::queue q{sycl::gpu_selector_v};
  std::printf("GPU: %s\n", q.get_device().get_info<sycl::info::device::name>().c_str());
  float *a = sycl::malloc_device<float>(elements, q), *b = sycl::malloc_device<float>(elements, q), *sum = sycl::malloc_device<float>(elements, q);
  q.fill(a, 1.0f, elements).wait();
  q.fill(b, 2.0f, elements).wait();
  add_all(q, a, b, sum, std::integer_sequence<int, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32>{});
  std::vector<float> got(elements);
  q.copy(sum, got.data(), elements).wait();
  for (float x : got)
    if (x != 3.0f) {
      std::fprintf(stderr, "a sum is %g and not 3\n", x);
      return 1;
    }
  sycl::free(a, q), sycl::free(b, q), sycl::free(sum, q);
}
