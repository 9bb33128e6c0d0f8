// SPDX-License-Identifier: Apache-2.0
#include "scan_small.cuh"
struct Plus {
    template <class A>
    __host__ __device__ auto operator()(A a, A b) const {
        return a + b;
    }
};
template struct lab::LookaheadScan<lab::LookaheadPolicy<14, 7, 6, 5, true>, false, int, int, int,
                                   Plus, lab::StartValue<int>>;
template struct lab::SmallScan<lab::SmallPolicy<16, 4, 2>, false, int, int, int, Plus,
                               lab::StartValue<int>>;
