"""The cells are the textbook's, and their fast forms change nothing."""

import pytest
import torch

from seq2see.model.cells import CELLS, GRU, LSTM, RNN, Cell
from seq2see.model.lstm import lstm_gates, lstm_sequence

T, B, E, H, X = 5, 3, 4, 6, 2


def torch_twin(cell: Cell) -> torch.nn.RNNBase:
    twin = {RNN: torch.nn.RNN, GRU: torch.nn.GRU, LSTM: torch.nn.LSTM}[type(cell)](E, H).double()
    with torch.no_grad():
        twin.weight_ih_l0.copy_(cell.w_input)
        twin.weight_hh_l0.copy_(cell.w_state.t())
        twin.bias_ih_l0.copy_(cell.bias)
        twin.bias_hh_l0.zero_()
        if isinstance(cell, GRU):
            twin.bias_hh_l0[2 * H :] = cell.bias_new
    return twin


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_follows_the_equations_that_torch_computes(name: str) -> None:
    torch.manual_seed(0)
    cell = CELLS[name](E, H).double()
    for p in cell.parameters():
        torch.nn.init.normal_(p)
    x = torch.randn(T, B, E, dtype=torch.float64)
    expected, _ = torch_twin(cell)(x)
    state = cell.zero_state(B, x)
    for t in range(T):
        state = cell.step(cell.project(x[t]), state, None, cell.weights())
        assert torch.allclose(state[0], expected[t], atol=1e-12)


def test_the_lstm_reads_as_its_five_equations() -> None:
    z, c = torch.randn(B, 4 * H, dtype=torch.float64), torch.randn(B, H, dtype=torch.float64)
    z_i, z_f, z_g, z_o = z.chunk(4, dim=-1)
    i, f, o, g = z_i.sigmoid(), z_f.sigmoid(), z_o.sigmoid(), z_g.tanh()
    c_t = f * c + i * g
    h_t = o * c_t.tanh()
    h, c_next = lstm_gates(z, torch.zeros_like(z), c)
    assert torch.allclose(h, h_t, atol=1e-12)
    assert torch.allclose(c_next, c_t, atol=1e-12)


@pytest.mark.parametrize("name", CELLS)
def test_extra_input_is_input_like_any_other(name: str) -> None:
    torch.manual_seed(0)
    cell = CELLS[name](E, H, extra=X).double()
    whole = CELLS[name](E + X, H).double()
    with torch.no_grad():
        whole.w_input.copy_(torch.cat([cell.w_input, cell.w_extra.t()], dim=1))
        whole.w_state.copy_(cell.w_state)
        whole.bias.copy_(cell.bias)
    x, extra = torch.randn(B, E, dtype=torch.float64), torch.randn(B, X, dtype=torch.float64)
    state = tuple(torch.randn(B, H, dtype=torch.float64) for _ in range(cell.carries))
    one = cell.step(cell.project(x), state, extra, cell.weights())
    other = whole.step(whole.project(torch.cat([x, extra], -1)), state, None, whole.weights())
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", CELLS)
def test_gradients_of_a_loop_are_right(name: str, shared: bool) -> None:
    torch.manual_seed(0)
    cell = CELLS[name](E, H, extra=X).double()
    x = torch.randn(3, B, E, dtype=torch.float64)
    extra = torch.randn(B, X, dtype=torch.float64)

    def loop(*parameters: torch.Tensor) -> torch.Tensor:
        weights = cell.weights().shared() if shared else cell.weights()
        state = cell.zero_state(B, x)
        for t in range(3):
            state = cell.step(cell.project(x[t]), state, extra, weights)
        return sum(s.square().sum() for s in state)

    assert torch.autograd.gradcheck(loop, tuple(cell.parameters()))


def test_a_whole_sequence_equals_its_steps_with_gradients() -> None:
    torch.manual_seed(0)
    directions = 2
    z, w, h, c = (
        torch.randn(shape, dtype=torch.float64, requires_grad=True)
        for shape in ((T, directions, B, 4 * H), (directions, H, 4 * H), *[(directions, B, H)] * 2)
    )
    hs, cs = lstm_sequence(z, w, h, c)
    for d in range(directions):
        state = (h[d], c[d])
        for t in range(T):
            state = lstm_gates(z[t, d], state[0] @ w[d], state[1])
            assert torch.allclose(hs[t, d], state[0])
            assert torch.allclose(cs[t, d], state[1])
    assert torch.autograd.gradcheck(lstm_sequence, (z, w, h, c))
