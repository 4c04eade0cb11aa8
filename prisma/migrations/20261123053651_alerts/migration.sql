-- CreateTable
CREATE TABLE "alert_notice" (
    "id" SERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "sweep_id" TEXT,
    "title" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "subject" TEXT,
    "over_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_notice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_delivery" (
    "id" SERIAL NOT NULL,
    "notice_id" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "problem" TEXT,

    CONSTRAINT "alert_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "alert_notice_key_key" ON "alert_notice"("key");

-- CreateIndex
CREATE INDEX "alert_notice_subject_idx" ON "alert_notice"("subject");

-- CreateIndex
CREATE INDEX "alert_delivery_state_next_at_idx" ON "alert_delivery"("state", "next_at");

-- CreateIndex
CREATE UNIQUE INDEX "alert_delivery_notice_id_channel_key" ON "alert_delivery"("notice_id", "channel");

-- AddForeignKey
ALTER TABLE "alert_delivery" ADD CONSTRAINT "alert_delivery_notice_id_fkey" FOREIGN KEY ("notice_id") REFERENCES "alert_notice"("id") ON DELETE CASCADE ON UPDATE CASCADE;
