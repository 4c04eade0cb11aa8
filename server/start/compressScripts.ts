import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);

/** Compresses every script and style sheet of a folder by Brotli, as NAME.br beside it. */
export async function compressScripts(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names.map(async (name) => {
      if (!/\.(js|css)$/.test(name)) return;
      const text = await readFile(join(folder, name));
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      };
      await writeFile(join(folder, `${name}.br`), await compress(text, { params }));
    }),
  );
}
