/** The logo: one curve that rises and one that lags. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g fill="none" className="stroke-on-accent" strokeWidth="3" strokeLinecap="round">
        <path d="M6 23c5 0 5-13 10-13s4 9 10 5" />
        <path d="M6 23c6 0 9-3 13-5" opacity="0.55" />
      </g>
    </svg>
  );
}
