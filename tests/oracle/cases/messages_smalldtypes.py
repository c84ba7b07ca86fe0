"""A mistake for each `raise` that numbers of up to 8 bits know."""

SETUP = """\
k = random.key(0)
H = jnp.ones(2, 'float8_e5m2')
I = jnp.ones(3, 'int4')
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES = {
    "lax.dot(jnp.ones(3, 'float8_e4m3'), jnp.ones(3, 'float8_e4m3fnuz'))": "dot_general",
    "jnp.ones(2).astype('float6_e3m2fn')": "jnp.astype",
    "I.view('int8')": "x.view",
    "I + jnp.ones(3, 'int8')": "int4",
    "H + jnp.ones(2)": "float8_e5m2",
    "jnp.abs(I)": "abs",
    "random.normal(k, (2,), 'float4_e2m1fn')": "random.uniform",
}
MESSAGES = {
    "jnp.float6_e2m3fn(1)": "of which there are\nno arrays, only types. Give a dtype as 'int4' or",
    "jnp.ones(2).astype('float6_e3m2fn')": "was asked for float6_e3m2fn, of which there are no",
    "I + jnp.ones(3, 'int8')": "int4[3] promotes to no other dtype, and int4[3] and int8[3] met.",
    "H + jnp.ones(2)": "float8_e5m2[2] promotes to no other dtype, and float8_e5m2[2]\nand flo",
    "lax.abs(I)": "lax.abs takes no integers of fewer than 8 bits, and got int4.\nTry x.astype",
    "jnp.abs(I)": "lax.abs takes no integers of fewer than 8 bits, and got int4.\nTry x.astype",
    "jnp.signbit(H)": "jnp.signbit takes floats of 16 bits and more, and got float8_e5m2[2].\nConv",
    "jnp.copysign(H, 1)": "jnp.copysign takes floats of 16 bits and more, and got float8_e5m2[2].",
    "jnp.spacing(H)": "jnp.spacing takes floats of 16 bits and more, and got float8_e5m2[2].\nConv",
    "I.view('int8')": "x.view of int4[3] cannot be int8: the last axis has no whole number of thes",
    "lax.bitcast_convert_type(I, 'int16')":
        "makes one int16 of 4 int4, and got the shape (3,).\nGive an array whose last axis has",
    "lax.complex(H, H)": "parts of 32 or 64 bits, and not float8_e5m2.\nConvert with x.astype('flo",
    "random.normal(k, (2,), 'float4_e2m1fn')":
        "random.uniform draws floats of 8 bits and more, and was asked for float4_e2m1fn.\nDraw",
    "jax.dtypes.itemsize_bits(str)": "dtypes.itemsize_bits got <U0. Give a dtype of bools or num",
    "lax.dot(jnp.ones(3, 'float8_e4m3'), jnp.ones(3, 'float8_e4m3fnuz'))":
        "dot_general of float8_e4m3 and float8_e4m3fnuz: neither is more precise. Convert one.",
}
CASES = tuple(MESSAGES)
