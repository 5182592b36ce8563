ALTER TABLE `carts` ADD `paid` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `carts_customer_idx` ON `carts` (`customer`);
