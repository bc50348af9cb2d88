/* One input, output and parameter of every type: numbers are added, strings and bytes joined; an
   enumeration is the parameter's, unless that is its first value. */

#include "fmu.h"

static void equations(State *s)
{
    Variables *v = &s->v;
    v->float64_out = v->float64_in + v->float64_offset;
    v->int32_out = (int32_t)((uint32_t)v->int32_in + (uint32_t)v->int32_offset);
    v->boolean_out = v->boolean_in != v->boolean_offset;
    v->enumeration_out = v->enumeration_offset > 1 ? v->enumeration_offset : v->enumeration_in;
    size_t n = strlen(v->string_offset), m = strlen(v->string_in);
    if (m > TEXT - 1 - n) m = TEXT - 1 - n;
    memcpy(v->string_out, v->string_offset, n);
    memcpy(v->string_out + n, v->string_in, m);
    v->string_out[n + m] = 0;
#if FMI == 3
    v->float32_out = v->float32_in + v->float32_offset;
    v->int8_out = (int8_t)(v->int8_in + v->int8_offset);
    v->uint8_out = (uint8_t)(v->uint8_in + v->uint8_offset);
    v->int16_out = (int16_t)(v->int16_in + v->int16_offset);
    v->uint16_out = (uint16_t)(v->uint16_in + v->uint16_offset);
    v->uint32_out = v->uint32_in + v->uint32_offset;
    v->int64_out = (int64_t)((uint64_t)v->int64_in + (uint64_t)v->int64_offset);
    v->uint64_out = v->uint64_in + v->uint64_offset;
    n = v->binary_offset.size;
    m = v->binary_in.size < TEXT - n ? v->binary_in.size : TEXT - n;
    memcpy(v->binary_out.bytes, v->binary_offset.bytes, n);
    memcpy(v->binary_out.bytes + n, v->binary_in.bytes, m);
    v->binary_out.size = n + m;
#endif
}

static Status advance(Instance *c, double size)
{
    (void)c, (void)size;
    return OK;
}
