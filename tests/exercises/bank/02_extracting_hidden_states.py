# %% exercise="2.1" right="checks the range first"
def output_of_block(hidden_states, block):
    if block < 1 or block > len(hidden_states) - 1:
        raise ValueError(block)
    return hidden_states[block]


# %% exercise="2.1" right="cuts off the embeddings"
def output_of_block(hidden_states, block):
    outputs = list(hidden_states)[1:]
    if block not in range(1, len(outputs) + 1):
        raise ValueError("no such block")
    return outputs[block - 1]


# %% exercise="2.1" right="a dictionary"
def output_of_block(hidden_states, block):
    numbered = {k: state for k, state in enumerate(hidden_states) if k > 0}
    try:
        return numbered[block]
    except KeyError:
        raise ValueError(f"{block} is not a block") from None


# %% exercise="2.1" wrong="counts the embeddings as block 1" says="hidden state 0"
def output_of_block(hidden_states, block):
    if not 1 <= block <= len(hidden_states):
        raise ValueError(block)
    return hidden_states[block - 1]


# %% exercise="2.1" wrong="no range check" says="block 0 of 12 gives a result"
def output_of_block(hidden_states, block):
    return hidden_states[block]


# %% exercise="2.1" wrong="IndexError for what is missing" says="ValueError"
def output_of_block(hidden_states, block):
    if block < 1:
        raise ValueError(block)
    return hidden_states[block]


# %% exercise="2.1" wrong="counts from the end" says="hidden state 12"
def output_of_block(hidden_states, block):
    if not 1 <= block < len(hidden_states):
        raise ValueError(block)
    return hidden_states[-block]


# %% exercise="2.1" wrong="prints instead of returning" says="return"
def output_of_block(hidden_states, block):
    if not 1 <= block < len(hidden_states):
        raise ValueError(block)
    print(hidden_states[block])
