CREATE TABLE `carts` (
	`id` text PRIMARY KEY NOT NULL,
	`customer` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lines` (
	`cart_id` text NOT NULL,
	`sku` text NOT NULL,
	`count` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`cart_id`, `sku`),
	FOREIGN KEY (`cart_id`) REFERENCES `carts`(`id`) ON UPDATE no action ON DELETE cascade
);
