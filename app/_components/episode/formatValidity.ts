/** "valid", or the format check that the response failed. */
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
