// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dflash {

/// The t for which a variable of Student's distribution with `degrees` degrees of freedom (at least 1) lies within
/// -t to t with probability `confidence` (between 0 and 1).
double student_t(double confidence, int degrees);

}  // namespace dflash
