export async function pooled() {
  throw new Error('later');
}
