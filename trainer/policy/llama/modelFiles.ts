/** Files of a model's folder besides its weights that are read or copied. Not every model has all of them. */
export const modelFiles = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "chat_template.jinja",
] as const;
