# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
#
# Fills TEMPLATE with VERSION and a digest of HEADERS, and writes it to OUTPUT if the content changes.
set(all "")
foreach(header IN LISTS HEADERS)
  file(SHA256 ${header} digest)
  string(APPEND all ${digest})
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 12 HEADERS_DIGEST)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
