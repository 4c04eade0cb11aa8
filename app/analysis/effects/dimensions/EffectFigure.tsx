import { writeTick } from "#packages/statistics";
import type { EffectsReport } from "#server/domain/analysis/effects/report.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { effectDomain, factorTitles, formatIntervals, nameLevel, unitOf } from "./prepareDimensions.ts";

/** Effect of one dimension, and the metric's unit as a text short enough to fit beside the axis. */
type Props = { effect: EffectsReport["effects"][number]; unit: string; isRate: boolean };

/** Figure of a dimension's effect: each level's least-squares mean with its interval, and a dot for every run. */
export function EffectFigure({ effect, unit, isRate }: Props) {
  const { factor, levels, f, permutationP } = effect;
  return (
    <SvgFigure
      title={factorTitles[factor]}
      caption={`Blue: mean adjusted for the other dimensions; dots: runs. Permutation test: F ${Number.isFinite(f) ? f.toFixed(1) : "not estimable"}, p ${formatP(permutationP)}; ${formatIntervals(levels)}.`}
      x={{
        label: "",
        domain: [-0.5, levels.length - 0.5],
        ticks: levels.map((_, i) => i),
        format: (i) => nameLevel(factor, levels[i]?.level ?? ""),
        isNames: true,
      }}
      y={{ label: unit, domain: effectDomain(levels), format: (x) => writeTick(x, unitOf(isRate)) }}
      data={[
        ["level", "runs", "ls_mean", "low", "high"],
        ...levels.map(({ level, numRuns, estimate }) =>
          estimate.kind === "estimate"
            ? [level, numRuns, estimate.value, estimate.interval.low, estimate.interval.high]
            : [level, numRuns, "not estimable", "", ""],
        ),
      ]}
      height={280}
    >
      {({ x, y }) =>
        levels.map(({ level, estimate, values }, i) => (
          <g key={level}>
            <title>{nameLevel(factor, level)}</title>
            {values.map((value, n) => (
              <circle key={n} cx={x(i) + (n % 7) * 3 - 9} cy={y(value)} r={2} fill="var(--edge)" opacity={0.6} />
            ))}
            {estimate.kind === "estimate" ? (
              <>
                {Number.isFinite(estimate.interval.high - estimate.interval.low) && (
                  <line
                    x1={x(i)}
                    x2={x(i)}
                    y1={y(estimate.interval.low)}
                    y2={y(estimate.interval.high)}
                    stroke="var(--accent)"
                    strokeWidth={2}
                  />
                )}
                <circle cx={x(i)} cy={y(estimate.value)} r={5} fill="var(--accent)" />
              </>
            ) : (
              <text x={x(i)} y={24} textAnchor="middle" fill="var(--muted)">
                not estimable
              </text>
            )}
          </g>
        ))
      }
    </SvgFigure>
  );
}

function formatP(p: number): string {
  if (Number.isNaN(p)) return "not testable";
  return p <= 0.001 ? "≤ 0.001" : p.toFixed(3);
}
