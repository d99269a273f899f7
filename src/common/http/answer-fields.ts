/** Fields that many answers have, for the OpenAPI document. */
export const SUCCESS = {
  description: '1: the call succeeded.',
  enum: [1],
  type: 'integer',
  example: 1,
} as const;

export const NEXT_CURSOR = {
  description: 'The `cursor` of the next page; absent on the last.',
  example: 'WzUwXQ',
};
