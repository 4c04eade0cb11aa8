import { tryJson } from "./tryJson.ts";
import { z } from "zod";

/** Schema of a number in a GPU's report; null, never zero, if the driver does not report it. */
const told = z.number().nullable().default(null);

/** Schema of a GPU's state as `nvidia-smi` or `rocm-smi` reports it. Utilisation is a fraction 0–1, memory in MiB. */
export const Gpu = z.object({
  index: z.int(),
  name: z.string(),
  driver: z.string().nullable().default(null),
  memoryTotalMb: told,
  memoryUsedMb: told,
  utilisation: told,
  temperatureCelsius: told,
  powerWatts: told,
});
export type Gpu = z.infer<typeof Gpu>;

/** Fields queried from `nvidia-smi`. The GPU's name comes last, because it may contain commas. */
const nvidiaFields = "index,driver_version,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,name";

/** Arguments with which `nvidia-smi` prints the GPUs; `parseNvidia` parses that output. */
export const nvidiaQuery = [`--query-gpu=${nvidiaFields}`, "--format=csv,noheader,nounits"];

/**
 * Parses the output of `nvidia-smi`: lines such as `0, 580.65.06, 143771, 11444, 37, 41, 312.55, NVIDIA H200`, one
 * per GPU. Missing values are in brackets: `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `[GPU is lost]`. Other
 * lines are messages and are skipped.
 */
export function parseNvidia(text: string): Gpu[] {
  return text.split("\n").flatMap((line) => {
    const [index = "", driver = "", total, used, percent, temperature, power, ...name] = line
      .split(",")
      .map((part) => part.trim());
    if (!/^\d+$/.test(index) || name.length === 0) return [];
    const utilisation = toNumber(percent);
    return [
      {
        index: Number(index),
        name: name.join(", "),
        driver: /^\d/.test(driver) ? driver : null,
        memoryTotalMb: toNumber(total),
        memoryUsedMb: toNumber(used),
        utilisation: utilisation === null ? null : utilisation / 100,
        temperatureCelsius: toNumber(temperature),
        powerWatts: toNumber(power),
      },
    ];
  });
}

/** Arguments with which `rocm-smi` prints the GPUs; `parseRocm` parses that output. */
export const rocmQuery =
  "--showproductname --showdriverversion --showuse --showmeminfo vram --showtemp --showpower --json".split(" ");

const RocmAnswer = z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number()])));

/**
 * Parses the output of `rocm-smi`: `{"card0": {"GPU use (%)": "0", …}, "system": {"Driver version": "6.3.6"}}`. Key
 * names differ between versions. Warnings may precede the object. The result is empty if the output has another form.
 */
export function parseRocm(text: string): Gpu[] {
  const answer = RocmAnswer.safeParse(tryJson(text.slice(Math.max(0, text.indexOf("{")))));
  if (!answer.success) return [];
  const driver = answer.data["system"]?.["Driver version"];
  return Object.entries(answer.data).flatMap(([card, values]) => {
    const index = /^card(\d+)$/.exec(card)?.[1];
    if (index === undefined) return [];
    const find = (...names: readonly string[]): string | number | undefined =>
      names.map((name) => values[name]).find((value) => value !== undefined && !/^(N\/A|0x.*)$/.test(String(value)));
    const percent = toNumber(find("GPU use (%)"));
    const vendor = String(find("Card Vendor", "Card vendor") ?? "AMD");
    return [
      {
        index: Number(index),
        name: String(find("Card Series", "Card series", "Device Name", "Card Model", "Card model") ?? vendor),
        driver: driver === undefined ? null : String(driver),
        memoryTotalMb: toMebibytes(find("VRAM Total Memory (B)")),
        memoryUsedMb: toMebibytes(find("VRAM Total Used Memory (B)")),
        utilisation: percent === null ? null : percent / 100,
        temperatureCelsius: toNumber(find("Temperature (Sensor junction) (C)", "Temperature (Sensor edge) (C)")),
        powerWatts: toNumber(find("Average Graphics Package Power (W)", "Current Socket Graphics Package Power (W)")),
      },
    ];
  });
}

function toNumber(word: string | number | undefined): number | null {
  if (typeof word === "number") return word;
  return word !== undefined && /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : null;
}

function toMebibytes(bytes: string | number | undefined): number | null {
  const value = toNumber(bytes);
  return value === null ? null : Math.round(value / 2 ** 20);
}
