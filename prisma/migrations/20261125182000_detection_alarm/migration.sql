-- AlterTable
ALTER TABLE "detection" ADD COLUMN "alarm" TEXT,
ADD COLUMN "alarm_at" INTEGER;

-- Of runs that are stored already: the worst of their statuses, and where the first alarm or else warning began.
UPDATE "detection" SET "alarm" = said.alarm, "alarm_at" = CASE said.alarm
    WHEN 'collapsed' THEN said.alarm_at WHEN 'unstable' THEN said.alarm_at WHEN 'warning' THEN said.warning_at END
FROM (
  SELECT run_id,
    CASE WHEN bool_or(change->>'status' = 'collapsed') THEN 'collapsed'
      WHEN bool_or(change->>'status' = 'unstable') THEN 'unstable'
      WHEN bool_or(change->>'status' = 'warning') THEN 'warning'
      WHEN bool_or(change->>'status' <> 'warmup') THEN 'none' END AS alarm,
    min((change->>'iteration')::int) FILTER (WHERE change->>'status' IN ('unstable', 'collapsed')) AS alarm_at,
    min((change->>'iteration')::int) FILTER (WHERE change->>'status' = 'warning') AS warning_at
  FROM "detection", jsonb_array_elements(changes) AS change GROUP BY run_id
) AS said WHERE said.run_id = "detection".run_id;
