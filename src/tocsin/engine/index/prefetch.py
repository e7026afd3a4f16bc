# mypy: disable-error-code="no-untyped-def, no-untyped-call, attr-defined"
# ruff: noqa: ARG001 - the compiler asks for the arguments
"""Asking for memory before it is needed, so that many waits for it become one."""

from __future__ import annotations

from typing import Any, Final

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from tocsin.engine.index.kernels import inlined

_READ, _KEEP, _DATA = 0, 3, 1


_intrinsic: Final[Any] = intrinsic


@_intrinsic
def _fetch(_context, array, row):
    """Compile to the instruction of the processor."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        (stride, *_) = cgutils.unpack_tuple(builder, view.strides)
        begin = builder.bitcast(view.data, cgutils.voidptr_t)
        place = builder.gep(begin, [builder.mul(stride, arguments[1])])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(function, [place, number(_READ), number(_KEEP), number(_DATA)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _nothing(array, row):
    """Without the compiler there is nothing to ask for."""


@inlined
def _ask(array, row):
    """Ask for the first bytes of a row, which may be any number; returns at once."""
    _fetch(array, row)


fetch: Final = _nothing if numba.config.DISABLE_JIT else _ask
