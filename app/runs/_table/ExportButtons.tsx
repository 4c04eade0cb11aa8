import { Button } from "#app/_ui/Button.tsx";

/** The selected runs as files, with the columns that are shown. A form, since they are too many for an address. */
export function ExportButtons({ ids, columns }: { ids: readonly string[]; columns: readonly string[] }) {
  return (
    <form action="/api/run-table" method="post" className="flex gap-1.5">
      <input type="hidden" name="ids" value={ids.join("\n")} aria-hidden="true" />
      <input type="hidden" name="columns" value={columns.join("\n")} aria-hidden="true" />
      <Button type="submit" name="format" value="csv">
        CSV
      </Button>
      <Button type="submit" name="format" value="parquet">
        Parquet
      </Button>
    </form>
  );
}
