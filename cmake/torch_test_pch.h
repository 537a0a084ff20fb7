// SPDX-License-Identifier: Apache-2.0
// The precompiled header of all tests that compute with tensors.
#pragma once

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "torch_pch.h"
