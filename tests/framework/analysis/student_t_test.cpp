// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/student_t.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

TEST(StudentT, AgreesWithTheTables) {
  EXPECT_NEAR(student_t(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t(0.95, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_t(0.95, 3), 3.182, 5e-4);
  EXPECT_NEAR(student_t(0.95, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t(0.95, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_t(0.95, 30), 2.042, 5e-4);
  EXPECT_NEAR(student_t(0.95, 1000), 1.962, 5e-4);
  EXPECT_NEAR(student_t(0.99, 5), 4.032, 5e-4);
  EXPECT_NEAR(student_t(0.5, 4), 0.741, 5e-4);
}

TEST(StudentT, RefusesWhatIsNoProbability) {
  EXPECT_THROW(student_t(1.0, 4), InternalError);
  EXPECT_THROW(student_t(0.95, 0), InternalError);
}

}  // namespace
}  // namespace dflash
