/** The milliseconds of processor time of this process that some work takes; a busy machine gives it later, not more. */
export async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
