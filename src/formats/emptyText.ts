/** Said of a file without a character that counts. */
export const emptyText = "the file is empty; is it the right one, and was it written to its end?";
