ALTER TABLE `lines` RENAME TO `cart_lines`;
