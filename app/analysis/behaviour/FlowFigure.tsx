"use client";
import { methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import { formatCount } from "#packages/base";
import { type Flow, nameFlowTypes, toFlowRows } from "#server/domain/analysis/behaviour/flowRows.ts";
import type { PlotArea } from "#app/_charts/FigureDrawing.tsx";
import type { FigureKey } from "#app/_charts/placeKeys.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";

/** A group's flow, and the action types of its environment. */
export type FlowProps = { title: string; flow: Flow; types: readonly { letter: string; name: string }[] };

/** Colours of the nodes that are no action type. */
const endingColours: Readonly<Record<string, string>> = {
  success: "var(--good)",
  ended: "var(--bad)",
  limit: "var(--warn)",
  later: "var(--edge)",
  other: "var(--edge)",
};

/** Flow of all episodes of a group through the types of their actions, turn by turn, to their endings. */
export function FlowFigure({ title, flow, types }: FlowProps) {
  const numColumns = Math.max(1, ...flow.nodes.map(({ turn }) => turn));
  const nameOf = nameFlowTypes(types);
  const colourOf = (type: string) =>
    endingColours[type] ?? methodColour(types.findIndex(({ letter }) => letter === type));
  const keys = [...new Set(flow.nodes.map(({ type }) => type))].sort().map((type) => {
    return { label: nameOf(type), color: colourOf(type) };
  });
  return (
    <SvgFigure
      keys={keys}
      renderBelow={() => <Keys keys={keys} />}
      title={`${title}: actions by turn`}
      caption={`${formatCount(flow.numEpisodes, "episode")}. The height of a bar is the share of episodes whose action in this turn is of its type; a band leads to the next turn.`}
      x={{
        label: "Turn",
        domain: [1, Math.max(2, numColumns)],
        ticks: Array.from({ length: numColumns }, (_, i) => i + 1),
      }}
      y={{ domain: [0, 1], ticks: [] }}
      data={toFlowRows(flow, nameOf)}
      height={320}
    >
      {({ plot }) => <Drawing {...{ flow, plot, nameOf, colourOf }} />}
    </SvgFigure>
  );
}

function Keys({ keys }: { keys: readonly FigureKey[] }) {
  return (
    <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {keys.map(({ label, color }) => (
        <li key={label} className="flex items-center gap-1">
          <span aria-hidden="true" className="size-2.5 rounded-xs" style={{ background: color }} />
          {label}
        </li>
      ))}
    </ul>
  );
}

type DrawingProps = {
  flow: Flow;
  plot: PlotArea;
  nameOf: (type: string) => string;
  colourOf: (type: string) => string;
};

/** Width of a node and gap between nodes of a turn, in pixels. */
const nodeWidth = 10;
const nodeGap = 12;
/** Smallest node in pixels that is named. */
const namedHeight = 9;

function Drawing({ flow, plot, nameOf, colourOf }: DrawingProps) {
  const { nodes, links } = layOut(flow, plot);
  const columnWidth = plot.width / Math.max(1, ...nodes.map(({ turn }) => turn - 1));
  const numLetters = Math.floor((columnWidth - nodeWidth - 6) / letterWidth);
  return (
    <>
      {links.map(({ path, width, type, key, sentence }) => (
        <path
          key={key}
          d={path}
          fill="none"
          stroke={colourOf(type)}
          strokeWidth={Math.max(1, width)}
          strokeOpacity={0.3}
        >
          <title>{sentence(nameOf)}</title>
        </path>
      ))}
      {nodes.map(({ x0, x1, y0, y1, turn, type, share }) => {
        const isLast = x1 > plot.x + plot.width - columnWidth / 2;
        return (
          <g key={`${turn} ${type}`}>
            <rect x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} fill={colourOf(type)}>
              <title>{`Turn ${turn}, ${nameOf(type)}: ${percent(share)} of the episodes`}</title>
            </rect>
            {y1 - y0 >= namedHeight && numLetters >= fewestLetters && (
              <text
                x={isLast ? x0 - 4 : x1 + 4}
                y={(y0 + y1) / 2 + 4}
                textAnchor={isLast ? "end" : "start"}
                fontSize={11}
                fill="var(--text)"
              >
                {shorten(nameOf(type), numLetters)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

const letterWidth = 6;
/** Fewest letters of a name beside a node; narrower drawings have names in their key only. */
const fewestLetters = 5;

function shorten(name: string, numLetters: number): string {
  return name.length <= numLetters ? name : `${name.slice(0, Math.max(1, numLetters - 1))}…`;
}

/** Places nodes by turn, and bands between them, within the plot. */
function layOut({ nodes, links }: Flow, plot: PlotArea) {
  const placed = sankey<{ turn: number; type: string }, object>()
    .nodeWidth(nodeWidth)
    .nodePadding(nodeGap)
    .nodeAlign(({ turn }) => turn - 1)
    .extent([
      [plot.x, plot.y],
      [plot.x + plot.width, plot.y + plot.height],
    ])({
    nodes: nodes.map((node) => ({ ...node })),
    links: links.map(({ source, target, share }) => ({ source, target, value: share })),
  });
  const draw = sankeyLinkHorizontal<{ turn: number; type: string }, object>();
  return {
    nodes: placed.nodes.map(({ x0 = 0, x1 = 0, y0 = 0, y1 = 0, turn, type, value = 0 }) => {
      return { x0, x1, y0, y1, turn, type, share: value };
    }),
    links: placed.links.flatMap((link) => {
      const { source, target, width = 0, value } = link;
      if (typeof source !== "object" || typeof target !== "object") return [];
      return [
        {
          key: `${source.turn} ${source.type} ${target.type}`,
          path: draw(link) ?? "",
          width,
          type: source.type,
          sentence: (nameOf: (type: string) => string) =>
            `Turn ${source.turn}, ${nameOf(source.type)} → ${nameOf(target.type)}: ${percent(value)} of the episodes`,
        },
      ];
    }),
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
