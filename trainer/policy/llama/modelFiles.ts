/** What a model's folder has beside its weights, as far as it is read or passed on; not every model has all of them. */
export const modelFiles = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "chat_template.jinja",
] as const;
