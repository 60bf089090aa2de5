#pragma once
// libxml2's encoding header pulls ICU in, whose types clash with the copy inside Foundation ("'UErrorCode' has
// different definitions"). Only opaque struct tails change when it is left out.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
