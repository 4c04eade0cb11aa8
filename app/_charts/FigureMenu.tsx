"use client";
import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { HeadMenu } from "./FigureHead.tsx";

// Loaded at the first opening, with the drawing on paper.
const FigureFiles = dynamic(() => import("./FigureFiles.tsx").then((module) => module.FigureFiles), { ssr: false });

/** Menu of a figure without settings: its files, and full screen. */
export function FigureMenu(props: ComponentProps<typeof FigureFiles>) {
  return <HeadMenu title={props.title}>{() => <FigureFiles {...props} />}</HeadMenu>;
}
