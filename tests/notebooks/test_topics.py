"""What the course promises to teach is taught, under the heading that this list names."""

from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

# (topic, notebook, heading, a word that must stand under that heading)
TOPICS = [
    ("inside a block", "01_layer_hierarchy", "A stack of blocks", "draw_encoder"),
    ("L blocks, L+1 states", "01_layer_hierarchy", "A stack of blocks", "*L* + 1"),
    ("what a probe is", "01_layer_hierarchy", "What others have found", "**probe**"),
    ("the published picture with its numbers", "01_layer_hierarchy", "What others have found", "Tenney"),
    ("its critics", "01_layer_hierarchy", "What others have found", "Niu"),
    ("one sentence's [CLS] through all layers", "01_layer_hierarchy", "One sentence on its way up", "cls_vectors"),
    ("13 states of one sentence's [CLS]", "01_layer_hierarchy", "One sentence on its way up", "cls cosine"),
    ("the heatmap of layer against layer", "01_layer_hierarchy", "One sentence on its way up", "plot_similarity"),
    ("two meanings drawing apart", "01_layer_hierarchy", "Two senses draw apart", "same_sense"),
    ("tasks and layers in a table", "01_layer_hierarchy", "Layer choice is a hyperparameter", "| what you want |"),
    ("layer choice is a hyperparameter", "01_layer_hierarchy", "Layer choice is a hyperparameter", "hold out"),
    ("what one sentence can't show", "01_layer_hierarchy", "What one sentence can't show", "labels"),
    ("states by hand", "02_extracting_hidden_states", "An encoder with L blocks gives L + 1 states", "output_hidden_states"),
    ("what layer 0 is", "02_extracting_hidden_states", "What layer 0 is", "LayerNorm"),
    ("[CLS] against pooler", "02_extracting_hidden_states", "[CLS] and the pooler are two things", "pooler_output"),
    ("evaluation mode", "02_extracting_hidden_states", "The forgotten switch", "model.train()"),
    ("first, last and mean subword", "02_extracting_hidden_states", "From subwords to words", "mean_vectors"),
    ("the tokenizer's words aren't the corpus's", "02_extracting_hidden_states", "Whose words?", "misaligned"),
    ("a list of words, or characters", "02_extracting_hidden_states", "Two remedies, and when only one works", "offset_mapping"),
    ("the blank before a word", "02_extracting_hidden_states", "Two remedies, and when only one works", "as running text"),
    ("padding and masks", "02_extracting_hidden_states", "Padding must not leak", "mask"),
    ("memory", "02_extracting_hidden_states", "What it costs to keep", "inference_mode"),
    ("concatenation, 4 x 768 = 3,072", "03_combining_layers", "Five ways to make one vector out of many", "3,072"),
    ("mean, sum, fixed weighted sum", "03_combining_layers", "Five ways to make one vector out of many", "weighted_sum"),
    ("Devlin et al., Table 7", "03_combining_layers", "What others measured", "Table 7"),
    ("which wins at equal width, with intervals", "03_combining_layers", "On our tasks, at equal width", "PCA"),
    ("why last four is not a law", "03_combining_layers", "On our tasks, at equal width", "law"),
    ("ScalarMix by hand and from the package, 14 parameters", "03_combining_layers", "Weights that learn", "HandMadeMix"),
    ("why a copied weight can't learn", "03_combining_layers", "The slip that keeps it from learning", "torch.tensor"),
    ("a mix trained with a task, with and without layer norm", "03_combining_layers", "Train it with a task", "do_layer_norm"),
    ("weights beside norms", "03_combining_layers", "Train it with a task", "norms"),
    ("the study in its usual form", "04_probing_code", "The study in its usual form", "LogisticRegression"),
    ("another seed, another best layer", "04_probing_code", "Another seed, another best layer", "winners"),
    ("what few words can tell", "04_probing_code", "What 29 words can tell", "wilson_interval"),
    ("fitting says nothing", "04_probing_code", "Fitting says nothing", "shuffled"),
    ("split by sentence", "04_probing_code", "The split by word", "sentence_ids"),
    ("the paired bootstrap by hand", "04_probing_code", "The paired bootstrap", "draw"),
    ("majority, look-up, random blocks", "04_probing_code", "The same study on the course's treebank", "random blocks"),
    ("unseen words", "04_probing_code", "The same study on the course's treebank", "unseen"),
    ("a profile of 13 states", "04_probing_code", "Thirteen states", "load_encoder_profiles"),
    ("the random twin", "04_probing_code", "And on 25,000 words of web text", "random twin"),
    ("the profile over C", "04_probing_code", "The same study on the course's treebank", "profile_over_C"),
    ("control task and selectivity", "04_probing_code", "The same study on the course's treebank", "selectivity"),
    ("the study on the treebank with every baseline", "04_probing_code", "The same study on the course's treebank", "load_treebank"),
    ("code length", "04_probing_code", "The same study on the course's treebank", "online_code_length"),
    ("the study on EWT", "04_probing_code", "And on 25,000 words of web text", "load_ewt_profiles"),
    ("what a profile's shape can mean", "04_probing_code", "Reading a profile", "plateau"),
    ("consecutive cosine and change", "05_inter_layer_similarity", "From one layer to the next", "consecutive_cosine"),
    ("the full matrix", "05_inter_layer_similarity", "From one layer to the next", "cosine_matrix"),
    ("anisotropy and its correction", "05_inter_layer_similarity", "What a cosine of nothing is", "corrected"),
    ("rogue dimensions", "05_inter_layer_similarity", "A few dimensions carry much of it", "rogue"),
    ("CKA, biased and debiased, with its floor", "05_inter_layer_similarity", "A measure that forgives a rotation", "cka_floor"),
    ("what each measure can't see", "05_inter_layer_similarity", "What each measure can't see", "rotation"),
    ("change beside probe accuracy", "05_inter_layer_similarity", "Does a large change mean new information?", "probe_layers"),
    ("three targets that a look-up table solves", "06_many_properties", "Three popular targets, and a look-up table", "share_fixed_by_type"),
    ("properties from form to context", "06_many_properties", "Eight properties", "word_properties"),
    ("word sense", "06_many_properties", "Eight properties", "load_senses"),
    ("small multiples", "06_many_properties", "The wall chart", "subplots"),
    ("a noun's sense read from its neighbours", "06_many_properties", "Eight properties", "without the noun"),
    ("what a layer adds to the embeddings", "06_many_properties", "What does a layer add?", "conditional_probing"),
    ("expected layer and centre of gravity with intervals", "06_many_properties", "One number for a profile", "centre_of_gravity"),
    ("seen against unseen words", "06_many_properties", "Seen and unseen words", "unseen_accuracy"),
    ("what may be concluded, and what may not", "06_many_properties", "What may be concluded", "may not"),
    ("profiles over relative depth", "07_carry_over", "Nine properties over relative depth", "linspace"),
    ("the layer at half the depth", "07_carry_over", "What is best in the middle", "not_worse_than_best"),
    ("the textbook's bands against 13 states", "07_carry_over", "The bands of the textbooks", "9 to 12"),
    ("many statements at once", "07_carry_over", "Many statements at once", "Comparison.of"),
    ("a decoder's left side", "07_carry_over", "A decoder sees the left side only", "by_side"),
    ("which subword of a decoder to read", "07_carry_over", "A decoder sees the left side only", "next word"),
    ("beside published numbers", "07_carry_over", "Beside what was published", "load_published"),
    ("one's own encoder", "07_carry_over", "Another encoder", "reading"),
    ("what three models can't show", "07_carry_over", "What three encoders can't show", "differ"),
    ("twins of several kinds, and shuffled words", "08_probe_or_encoder", "The words alone", "load_spoilt"),
    ("probes of several capacities", "08_probe_or_encoder", "A simpler probe, a stronger probe", "load_capacity"),
    ("control tasks on seen types, with intervals", "08_probe_or_encoder", "Selectivity", "seen_selectivity_interval"),
    ("learning curves over documents", "08_probe_or_encoder", "How many words?", "told_apart"),
    ("test text and training text", "08_probe_or_encoder", "Two sources of uncertainty", "sources"),
    ("code length and conditional bits", "08_probe_or_encoder", "Bits", "load_added"),
    ("what each instrument answers", "08_probe_or_encoder", "One page", "conditional bits"),
    ("LEACE by hand", "09_read_is_not_used", "Erase it, by hand", "def leace"),
    ("what a network still reads", "09_read_is_not_used", "What is left?", "MLP"),
    ("an eraser fitted on other words", "09_read_is_not_used", "On whose words?", "shrunken"),
    ("a control of equal variance", "09_read_is_not_used", "As large a wound", "equal variance"),
    ("erased inside the forward pass", "09_read_is_not_used", "In the forward pass", "erased(encoder"),
    ("where it comes back from", "09_read_is_not_used", "Where does it come from?", "hidden"),
    ("the encoder's own task", "09_read_is_not_used", "Does the encoder's own task suffer?", "neighbours"),
    ("a decoder's loss in nats", "09_read_is_not_used", "A model whose task is words", "surprisal"),
    ("activation patching", "09_read_is_not_used", "Put another state there", "patch_words"),
    ("what may be concluded", "09_read_is_not_used", "What to conclude", "decide"),
]  # fmt: skip


def sections(name):
    """Everything under each second-level heading of a notebook, prose and code."""
    found, heading = {}, ""
    for cell in nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells:
        for line in cell.source.splitlines():
            if cell.cell_type == "markdown" and line.startswith("## "):
                heading = line.removeprefix("## ").strip()
            found[heading] = found.get(heading, "") + line + "\n"
    return found


@pytest.mark.parametrize(
    ("topic", "notebook", "heading", "word"), TOPICS, ids=[t[0] for t in TOPICS]
)
def test_topic_is_taught(topic, notebook, heading, word):
    text = sections(notebook)
    assert heading in text, f"{topic}: no heading {heading!r} in {notebook}"
    assert word.lower() in text[heading].lower(), f"{topic}: nothing of {word!r} under {heading!r}"
