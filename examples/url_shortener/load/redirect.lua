-- One after the other of the links that were made before.
local n = 0

function request()
  n = n % 50 + 1
  return wrk.format("GET", "/" .. string.sub("123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno", n, n))
end

function done(summary, latency, requests)
  io.write(string.format("%.0f requests/s, half of them in %.1f ms, 99 %% in %.1f ms, %d errors\n",
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
