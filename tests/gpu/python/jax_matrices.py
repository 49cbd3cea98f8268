# SPDX-License-Identifier: BSD-3-Clause
# needs: jax
"""JAX: one function, compiled when the program runs, thirty times."""
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

f = jax.jit(lambda a: jnp.sin(a @ a).sum())
a = jnp.eye(512)
for _ in range(30):
    result = f(a)
print(jax.devices()[0].platform, float(result))
