// SPDX-License-Identifier: Apache-2.0
#include "stages/models/tensor_fields.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string bytes_of(const at::Tensor& tensor) {
  ItemWriter writer{"thing"};
  add_tensor(writer, "a", tensor);
  return writer.take();
}

at::Tensor read(const at::Tensor& tensor) {
  const std::string bytes = bytes_of(tensor);
  return read_tensor(ItemReader{bytes, "thing"}, "a", at::kCPU);
}

TEST(TensorFields, KeepTypeShapeAndValues) {
  for (const at::ScalarType type :
       {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kByte}) {
    const at::Tensor tensor = at::arange(6, type).view({2, 3});
    EXPECT_TRUE(at::equal(read(tensor), tensor)) << c10::toString(type);
    EXPECT_EQ(read(tensor).scalar_type(), type);
  }
  const at::Tensor mask = at::arange(4).remainder(2).to(at::kBool);
  EXPECT_TRUE(at::equal(read(mask), mask));
  EXPECT_EQ(read(at::empty({0, 3}, at::kHalf)).sizes(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(read(at::full({}, 2.5)).item<double>(), 2.5);
}

TEST(TensorFields, ReadAViewAsATensorOfItsOwn) {
  const at::Tensor view = at::arange(6, at::kFloat).view({2, 3}).t();
  EXPECT_TRUE(at::equal(read(view), view));
  EXPECT_TRUE(read(view).is_contiguous());
}

TEST(TensorFields, LeaveAnUndefinedTensorUndefined) {
  const std::string bytes = bytes_of({});
  const ItemReader reader{bytes, "thing"};
  EXPECT_FALSE(read_tensor_if_any(reader, "a", at::kCPU).defined());
  EXPECT_FALSE(read_rows_if_any(reader, "a", 3, at::kCPU).defined());
  EXPECT_THAT([&] { (void)read_tensor(reader, "a", at::kCPU); }, ThrowsMessage<UserError>(HasSubstr("'a' is missing")));
}

TEST(TensorFields, RefuseAnotherShape) {
  const std::string bytes = bytes_of(at::zeros({2, 3}, at::kLong));
  const ItemReader reader{bytes, "thing"};
  EXPECT_THAT([&] { (void)read_list(reader, "a", 6, at::kCPU); },
              ThrowsMessage<UserError>(HasSubstr("'a' is no list of 6 whole numbers")));
  EXPECT_THAT([&] { (void)read_rows_if_any(reader, "a", 3, at::kCPU); },
              ThrowsMessage<UserError>(HasSubstr("'a' is not of 3 tokens")));
  EXPECT_EQ(read_rows_if_any(reader, "a", 2, at::kCPU).numel(), 6);
}

}  // namespace
}  // namespace dflash
