/** Time between two reads of the overview while the page is attended, in milliseconds. */
export const AGAIN_AFTER = 15_000;
