"""
Trains the tokenizers beside this file and records Python's results with them, the reference of the tests:

    pip install transformers==5.23.0 tokenizers jinja2
    python trainer/policy/text/testing/makeTokenizers.py

Two are byte-level BPE. One splits text as Qwen2 does and normalises it; the other splits as Llama 3 does and prepends a
token to every text. The third is of the kind of Llama 2 and TinyLlama: blanks are letters, every text begins with one,
and unknown characters are encoded as bytes. `expected.json` contains the CRC-32 of the ids, as 32-bit numbers, of 2,000
strings that `stringAt` makes here and in `strings.ts`, all in base64. It also contains conversations rendered by the chat
template.
"""

import base64
import json
import shutil
import struct
import zlib
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

here = Path(__file__).parent
words = json.loads((here / "words.json").read_text())
num_strings = 2000
separators = [" ", " ", " ", "", "  ", "\n", "\n\n", "\t", ", ", " - ", "…", " 🙂", "👩‍🚀 ", "\u00a0", "1", " 2024", "e\u0301 "]


def string_at(index):
    """Words of one language and occasionally of another, joined by various white space and punctuation."""
    state = (index * 2654435761 + 12345) % 2**32

    def draw(limit):
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 8) % limit

    languages = list(words)
    text = ""
    for _ in range(1 + draw(12)):
        language = languages[draw(len(languages)) if draw(8) == 0 else index % len(languages)]
        text += words[language][draw(len(words[language]))] + separators[draw(len(separators))]
    return text


contraction = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
splits = {
    "qwen": contraction + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama": contraction + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
specials = {
    "qwen": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
    "llama": ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    "llama2": ["<unk>", "<s>", "</s>"],
}
# Tokens at the beginning and at the end of texts (bos, eos).
marks = {"qwen": (None, "<|im_end|>"), "llama": ("<|begin_of_text|>", "<|eot_id|>"), "llama2": ("<s>", "</s>")}
templates = {
    "qwen": """{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if not (loop.first and message.role == 'system') %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
""",
    "llama": """{%- set ns = namespace(turns=0) %}
{%- if not date_string is defined %}
    {%- set date_string = strftime_now("%d %b %Y") %}
{%- endif %}
{{- bos_token }}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday: " + date_string + "<|eot_id|>" }}
{%- for message in messages %}
    {%- set ns.turns = ns.turns + 1 %}
    {{- "<|start_header_id|>" + message["role"] + "<|end_header_id|>\\n\\n" + message["content"] | trim + "<|eot_id|>" }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- "<|start_header_id|>assistant<|end_header_id|>\\n\\n" }}
{%- endif %}
""",
    "llama2": """{%- for message in messages %}
    {{- '<|' + message['role'] + '|>\\n' + message['content'] + eos_token + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\\n' }}
{%- endif %}
""",
}


def train(name):
    tokenizer = Tokenizer(models.BPE(ignore_merges=name == "llama"))
    if name == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(splits[name]), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, special_tokens=specials[name], show_progress=False)
    tokenizer.train_from_iterator([string_at(i) for i in range(num_strings)], trainer)
    return with_start(tokenizer, name)


def train_with_bytes():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", behavior="merged_with_next")
    in_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=800, limit_alphabet=120, special_tokens=specials["llama2"] + in_bytes, show_progress=False
    )
    tokenizer.train_from_iterator([string_at(i) for i in range(num_strings)], trainer)
    whole = json.loads(tokenizer.to_str())
    whole["added_tokens"] = [token for token in whole["added_tokens"] if token["content"] in specials["llama2"]]
    whole["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(content=" ", left=1)]
    )
    return with_start(tokenizer, "llama2")


def with_start(tokenizer, name):
    first, _ = marks[name]
    if first is not None:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first} $A", pair=f"{first} $A {first} $B", special_tokens=[(first, tokenizer.token_to_id(first))]
        )
    return tokenizer


conversations = [
    [{"role": "user", "content": "Push the box."}],
    [{"role": "system", "content": "You play."}, {"role": "user", "content": "  Go! \n"}],
    [
        {"role": "user", "content": "Où est la porte ?"},
        {"role": "assistant", "content": "<think> left </think><action> left </action>"},
        {"role": "user", "content": "Observation:\n####\n#_P#"},
    ],
]
for name in marks:
    folder = here / name
    shutil.rmtree(folder, ignore_errors=True)
    bos, eos = marks[name]
    trained = train_with_bytes() if name == "llama2" else train(name)
    fast = PreTrainedTokenizerFast(tokenizer_object=trained, bos_token=bos, eos_token=eos)
    fast.chat_template = templates[name]
    fast.save_pretrained(folder)
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()), ensure_ascii=False, separators=(",", ":")) + "\n")
    ids = [fast.encode(string_at(i)) for i in range(num_strings)]
    sums = [zlib.crc32(struct.pack(f"<{len(row)}i", *row)) for row in ids]
    rendered = [
        fast.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, date_string="26 Jul 2024")
        for messages in conversations
    ]
    expected = {
        "firstIds": ids[0],
        "numIds": sum(map(len, ids)),
        "checksums": base64.b64encode(struct.pack(f"<{num_strings}I", *sums)).decode(),
        "decodedSame": sum(fast.decode(row, skip_special_tokens=True) == string_at(i) for i, row in enumerate(ids)),
        "conversations": [{"messages": m, "text": text} for m, text in zip(conversations, rendered)],
    }
    (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")
