-- AlterTable
ALTER TABLE "Post" ADD COLUMN "score" DECIMAL;
