/** "valid", or which of the two checks a response failed. */
export function formatValidity({
  isFormatValid,
  isActionValid,
}: {
  isFormatValid: boolean;
  isActionValid: boolean;
}): string {
  if (!isFormatValid) return "invalid format";
  return isActionValid ? "valid" : "no action of the environment";
}
