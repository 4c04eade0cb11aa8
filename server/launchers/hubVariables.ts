/**
 * Environment variables for pretrained models and their account, as read by huggingface_hub, here and on a cluster with
 * shared folders. Includes proxies.
 */
export const hubVariables = [
  "HF_ENDPOINT",
  "HF_HOME",
  "HF_HUB_CACHE",
  "HF_HUB_OFFLINE",
  "HF_TOKEN",
  "HF_TOKEN_PATH",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "HUGGINGFACE_HUB_CACHE",
  "NO_PROXY",
  "TRANSFORMERS_OFFLINE",
  "XDG_CACHE_HOME",
  "http_proxy",
  "https_proxy",
  "no_proxy",
] as const;
