"use client";
import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { HeadMenu } from "./FigureHead.tsx";

// Dynamic import: the code is loaded, with the export code, when the reader first opens the menu.
const FigureFiles = dynamic(() => import("./FigureFiles.tsx").then((module) => module.FigureFiles), { ssr: false });

/** Menu of a figure that has no settings: file exports and full screen. */
export function FigureMenu(props: ComponentProps<typeof FigureFiles>) {
  return <HeadMenu title={props.title}>{() => <FigureFiles {...props} />}</HeadMenu>;
}
