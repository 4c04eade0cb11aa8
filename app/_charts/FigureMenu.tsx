"use client";
import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { HeadMenu } from "./FigureHead.tsx";

// Loaded when the menu is first opened, together with the drawing for paper.
const FigureFiles = dynamic(() => import("./FigureFiles.tsx").then((module) => module.FigureFiles), { ssr: false });

/** Menu of a figure without settings: file exports and full screen. */
export function FigureMenu(props: ComponentProps<typeof FigureFiles>) {
  return <HeadMenu title={props.title}>{() => <FigureFiles {...props} />}</HeadMenu>;
}
