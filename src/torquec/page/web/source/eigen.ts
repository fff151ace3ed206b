// Eigenvalues and eigenvectors of a symmetric 3x3 matrix, by Jacobi's rotations.

export function symmetricAxes(matrix: number[][]): { values: number[]; vectors: number[][] } {
  const a = matrix.map((row) => [...row]);
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 24; sweep += 1) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const [app, aqq, apq] = [a[p]![p]!, a[q]![q]!, a[p]![q]!];
      if (Math.abs(apq) < 1e-300) continue;
      const theta = (aqq - app) / (2 * apq);
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; k += 1) {
        const [akp, akq] = [a[k]![p]!, a[k]![q]!];
        a[k]![p] = c * akp - s * akq;
        a[k]![q] = s * akp + c * akq;
      }
      for (let k = 0; k < 3; k += 1) {
        const [apk, aqk] = [a[p]![k]!, a[q]![k]!];
        a[p]![k] = c * apk - s * aqk;
        a[q]![k] = s * apk + c * aqk;
        const [vkp, vkq] = [v[k]![p]!, v[k]![q]!];
        v[k]![p] = c * vkp - s * vkq;
        v[k]![q] = s * vkp + c * vkq;
      }
    }
  }
  return { values: [0, 1, 2].map((k) => a[k]![k]!), vectors: [0, 1, 2].map((k) => [v[0]![k]!, v[1]![k]!, v[2]![k]!]) };
}
