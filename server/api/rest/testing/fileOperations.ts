/** OpenAPI operations that upload or download files. They are separate HTTP routes, not tRPC procedures. */
const text = { type: "string" };
const file = (type: string) => ({ "200": { description: "The file", content: { [type]: {} } }, default: refused });
const refused = { $ref: "#/components/responses/Refused" };
const segment = (name: string) => ({ name, in: "path", required: true, schema: text });

const download = (operationId: string, summary: string, parameters: object[], type = "application/octet-stream") => ({
  get: { operationId, tags: operationId.split(".").slice(0, 1), summary, parameters, responses: file(type) },
});

export const fileOperations: Readonly<Record<string, object>> = {
  "/runs/{runId}/files/{name}": download(
    "run.file",
    "A file that a run left: the trained policy, its vocabulary, sample episodes, the log.",
    [segment("runId"), segment("name")],
  ),
  "/runs/{runId}/artifacts/{path}": download(
    "run.artifact",
    "An artifact that a run's program sent over MLflow's protocol.",
    [segment("runId"), segment("path")],
  ),
  "/reports/{reportId}": download(
    "report.file",
    "A report as one HTML file that opens anywhere.",
    [segment("reportId")],
    "text/html",
  ),
  "/run-table": {
    post: {
      operationId: "runTable.file",
      tags: ["runTable"],
      summary:
        "Runs as CSV or Parquet, a row each; with metrics, a row for each of their iterations. Ids, columns and metrics one a line.",
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: {
              type: "object",
              properties: {
                ids: text,
                columns: text,
                metrics: text,
                format: { type: "string", enum: ["csv", "parquet"] },
              },
              required: ["ids", "columns", "format"],
            },
          },
        },
      },
      responses: {
        "200": { description: "The file", content: { "text/csv": {}, "application/vnd.apache.parquet": {} } },
        default: refused,
      },
    },
  },
  "/import": {
    post: {
      operationId: "run.import",
      tags: ["run"],
      summary: "Files of finished runs become a sweep; with preview=yes, what they would become.",
      requestBody: {
        required: true,
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              properties: {
                files: { type: "array", items: { type: "string", contentMediaType: "application/octet-stream" } },
                name: text,
                method: text,
                environment: text,
                seed: text,
                preview: { type: "string", enum: ["yes"] },
              },
            },
          },
        },
      },
      responses: { "200": { description: "Done", content: { "application/json": {} } }, default: refused },
    },
  },
};
