/** The version of the kit, as its package has it. */
export const VERSION = '0.1.0';
