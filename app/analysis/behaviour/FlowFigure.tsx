"use client";
import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import { formatCount } from "#packages/base";
import { type FlowTypes, lookOfType, toFlowRows } from "#server/domain/analysis/behaviour/flowRows.ts";
import type { Flow, FlowLink, FlowNode } from "#server/domain/analysis/behaviour/flows.ts";
import type { PlotArea } from "#app/_charts/FigureDrawing.tsx";
import { formatPercent, shorten } from "#app/_charts/format.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { Transcripts } from "./Transcripts.tsx";

/** A group's flow, and the action types of its environment. */
type FlowProps = { title: string; flow: Flow; types: FlowTypes };

/** Flow of all episodes of a group through the types of their actions, turn by turn, to their endings. */
export function FlowFigure({ title, flow, types }: FlowProps) {
  const numTurns = Math.max(1, ...flow.nodes.map(({ turn }) => turn));
  const last = flow.nodes.some(({ type }) => type === "later") ? "Later" : "End";
  const turns = Array.from({ length: numTurns }, (_, i) => i + 1);
  const keys = [...new Set(flow.nodes.map(({ type }) => type))].sort().map((type) => lookOfType(types, type));
  return (
    <SvgFigure
      keys={keys}
      renderBelow={() => (
        <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
          {keys.map(({ label, color }) => (
            <li key={label} className="flex items-center gap-1">
              <span aria-hidden="true" className="size-2.5 rounded-xs" style={{ background: color }} />
              {label}
            </li>
          ))}
        </ul>
      )}
      title={`${title}: actions by turn`}
      caption={`${formatCount(flow.numEpisodes, "episode")}. The height of a bar is the share of episodes whose action in this turn is of its type; a band leads to the next turn.`}
      x={{
        label: "Turn",
        domain: [1, Math.max(2, numTurns)],
        ticks: turns,
        format: (turn) => (turn < numTurns ? String(turn) : last),
      }}
      y={{ domain: [0, 1], ticks: [] }}
      data={toFlowRows(flow, types)}
      height={320}
    >
      {({ plot }) => <Drawing {...{ flow, types, plot }} />}
    </SvgFigure>
  );
}

/** Sizes in pixels; lower nodes have no name. Columns with room for fewer letters have upright names. */
const nodeSize = { width: 10, gap: 12, named: 10 };
const letters = { width: 6.5, height: 12, fewest: 5 };

/** Places nodes by turn, and bands between them, within the plot. */
function Drawing({ flow, types, plot }: Omit<FlowProps, "title"> & { plot: PlotArea }) {
  const { nodes, links } = sankey<FlowNode, FlowLink>()
    .nodeWidth(nodeSize.width)
    .nodePadding(nodeSize.gap)
    .nodeAlign(({ turn }) => turn - 1)
    .extent([
      [plot.x, plot.y],
      [plot.x + plot.width, plot.y + plot.height],
    ])({
    nodes: flow.nodes.map((node) => ({ ...node })),
    links: flow.links.map((link) => ({ ...link, value: link.share })),
  });
  const draw = sankeyLinkHorizontal<FlowNode, FlowLink>();
  const lookOf = (type: string) => lookOfType(types, type);
  const columnWidth = plot.width / Math.max(1, ...nodes.map(({ turn }) => turn - 1));
  const numLetters = Math.floor((columnWidth - nodeSize.width - 6) / letters.width);
  const isUpright = numLetters < letters.fewest;
  return (
    <>
      {links.map((link) => (
        <path
          key={`${link.turn} ${link.from} ${link.to}`}
          d={draw(link) ?? ""}
          fill="none"
          stroke={lookOf(link.from).color}
          strokeWidth={Math.max(1, link.width ?? 0)}
          strokeOpacity={0.3}
        >
          <title>{`Turn ${link.turn}, ${lookOf(link.from).label} → ${lookOf(link.to).label}: ${percent(link.value)} of the episodes`}</title>
        </path>
      ))}
      {nodes.map(({ x0 = 0, x1 = 0, y0 = 0, y1 = 0, turn, type, value = 0 }) => {
        const isLast = x1 > plot.x + plot.width - columnWidth / 2;
        const room = isUpright ? Math.floor((y1 - y0) / letters.width) : numLetters;
        const y = (y0 + y1) / 2;
        const { label, color } = lookOf(type);
        const side = isLast
          ? ({ x: x0 - 4, textAnchor: "end" } as const)
          : ({ x: x1 + 4, textAnchor: "start" } as const);
        const upright = `translate(${isLast ? x0 - 4 : x1 + letters.height} ${y}) rotate(-90)`;
        return (
          <g key={`${turn} ${type}`}>
            <rect x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} fill={color}>
              <title>{`Turn ${turn}, ${label}: ${percent(value)} of the episodes`}</title>
            </rect>
            {y1 - y0 >= nodeSize.named && room >= Math.min(letters.fewest, label.length) && (
              <text
                {...(isUpright ? { transform: upright, textAnchor: "middle" } : { ...side, y: y + 4 })}
                fill="var(--text)"
              >
                {shorten(label, room)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** Folded list of a diagram's bands, the widest first, with transcripts of each. */
export function FlowTranscripts({ title, flow, types }: FlowProps) {
  const nameOf = (type: string) => lookOfType(types, type).label;
  return (
    <details className="mt-1 text-sm">
      <summary className="w-fit cursor-pointer text-muted">Transcripts by flow: {title}</summary>
      <ul className="mt-1 space-y-0.5">
        {flow.links
          .toSorted((a, b) => b.share - a.share)
          .map(({ turn, from, to, share, transcripts }) => (
            <li key={`${turn} ${from} ${to}`}>
              Turn {turn}, {nameOf(from)} → {nameOf(to)} ({formatPercent(share)}):{" "}
              <Transcripts transcripts={transcripts} />
            </li>
          ))}
      </ul>
    </details>
  );
}
