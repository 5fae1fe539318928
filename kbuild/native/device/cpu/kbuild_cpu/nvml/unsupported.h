/* The functions of NVML about what a processor does not have, or what its operating system manages.
 * They return NVML_ERROR_NOT_SUPPORTED, as on GPUs without it.  Source of the parameters: nvml.h of
 * CUDA 13. */
#ifndef KBUILD_CPU_NVML_UNSUPPORTED_H
#define KBUILD_CPU_NVML_UNSUPPORTED_H

#pragma GCC system_header

#define KBUILD_NVML_DEVICE nvmlDevice_t __device
#define KBUILD_NVML_NUMBER unsigned int *
#define KBUILD_NVML_TEXT char *, unsigned int

/* X(NAME, PARAMETERS...): nvmlDeviceNAME, whose first parameter is the device. */
#define KBUILD_NVML_UNSUPPORTED(X) \
    X(GetTemperature, nvmlTemperatureSensors_t, KBUILD_NVML_NUMBER) \
    X(GetTemperatureThreshold, nvmlTemperatureThresholds_t, KBUILD_NVML_NUMBER) \
    X(GetFanSpeed, KBUILD_NVML_NUMBER) \
    X(GetFanSpeed_v2, unsigned int, KBUILD_NVML_NUMBER) \
    X(GetNumFans, KBUILD_NVML_NUMBER) \
    X(GetPowerUsage, KBUILD_NVML_NUMBER) \
    X(GetTotalEnergyConsumption, unsigned long long *) \
    X(GetPowerManagementMode, nvmlEnableState_t *) \
    X(GetPowerManagementLimit, KBUILD_NVML_NUMBER) \
    X(GetPowerManagementLimitConstraints, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(GetPowerManagementDefaultLimit, KBUILD_NVML_NUMBER) \
    X(GetEnforcedPowerLimit, KBUILD_NVML_NUMBER) \
    X(SetPowerManagementLimit, unsigned int) \
    X(GetPerformanceState, nvmlPstates_t *) \
    X(GetPowerState, nvmlPstates_t *) \
    X(GetUtilizationRates, nvmlUtilization_t *) \
    X(GetEncoderUtilization, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(GetDecoderUtilization, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(GetClock, nvmlClockType_t, nvmlClockId_t, KBUILD_NVML_NUMBER) \
    X(GetMaxCustomerBoostClock, nvmlClockType_t, KBUILD_NVML_NUMBER) \
    X(GetApplicationsClock, nvmlClockType_t, KBUILD_NVML_NUMBER) \
    X(GetDefaultApplicationsClock, nvmlClockType_t, KBUILD_NVML_NUMBER) \
    X(SetApplicationsClocks, unsigned int, unsigned int) \
    X(ResetApplicationsClocks) \
    X(GetSupportedMemoryClocks, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(GetSupportedGraphicsClocks, unsigned int, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(SetGpuLockedClocks, unsigned int, unsigned int) \
    X(ResetGpuLockedClocks) \
    X(SetMemoryLockedClocks, unsigned int, unsigned int) \
    X(ResetMemoryLockedClocks) \
    X(GetAutoBoostedClocksEnabled, nvmlEnableState_t *, nvmlEnableState_t *) \
    X(SetAutoBoostedClocksEnabled, nvmlEnableState_t) \
    X(GetCurrentClocksThrottleReasons, unsigned long long *) \
    X(GetCurrentClocksEventReasons, unsigned long long *) \
    X(GetSupportedClocksThrottleReasons, unsigned long long *) \
    X(GetSupportedClocksEventReasons, unsigned long long *) \
    X(GetPersistenceMode, nvmlEnableState_t *) \
    X(SetPersistenceMode, nvmlEnableState_t) \
    X(SetComputeMode, nvmlComputeMode_t) \
    X(GetEccMode, nvmlEnableState_t *, nvmlEnableState_t *) \
    X(GetTotalEccErrors, nvmlMemoryErrorType_t, nvmlEccCounterType_t, unsigned long long *) \
    X(GetMigMode, KBUILD_NVML_NUMBER, KBUILD_NVML_NUMBER) \
    X(GetMaxMigDeviceCount, KBUILD_NVML_NUMBER) \
    X(GetMigDeviceHandleByIndex, unsigned int, nvmlDevice_t *) \
    X(GetDisplayMode, nvmlEnableState_t *) \
    X(GetDisplayActive, nvmlEnableState_t *) \
    X(GetSerial, KBUILD_NVML_TEXT) \
    X(GetBoardPartNumber, KBUILD_NVML_TEXT) \
    X(GetVbiosVersion, KBUILD_NVML_TEXT) \
    X(GetInforomImageVersion, KBUILD_NVML_TEXT) \
    X(GetMinorNumber, KBUILD_NVML_NUMBER) \
    X(GetBoardId, KBUILD_NVML_NUMBER) \
    X(GetMultiGpuBoard, KBUILD_NVML_NUMBER) \
    X(GetNumGpuCores, KBUILD_NVML_NUMBER) \
    X(GetBAR1MemoryInfo, nvmlBAR1Memory_t *) \
    X(GetMaxPcieLinkGeneration, KBUILD_NVML_NUMBER) \
    X(GetMaxPcieLinkWidth, KBUILD_NVML_NUMBER) \
    X(GetCurrPcieLinkGeneration, KBUILD_NVML_NUMBER) \
    X(GetCurrPcieLinkWidth, KBUILD_NVML_NUMBER) \
    X(GetPcieReplayCounter, KBUILD_NVML_NUMBER) \
    X(GetPcieThroughput, nvmlPcieUtilCounter_t, KBUILD_NVML_NUMBER) \
    X(GetNvLinkState, unsigned int, nvmlEnableState_t *) \
    X(GetNvLinkVersion, unsigned int, KBUILD_NVML_NUMBER) \
    X(GetNvLinkCapability, unsigned int, nvmlNvLinkCapability_t, KBUILD_NVML_NUMBER) \
    X(GetNvLinkRemotePciInfo_v2, unsigned int, nvmlPciInfo_t *) \
    X(GetComputeRunningProcesses_v3, KBUILD_NVML_NUMBER, nvmlProcessInfo_t *) \
    X(GetGraphicsRunningProcesses_v3, KBUILD_NVML_NUMBER, nvmlProcessInfo_t *) \
    X(GetMPSComputeRunningProcesses_v3, KBUILD_NVML_NUMBER, nvmlProcessInfo_t *) \
    X(GetP2PStatus, nvmlDevice_t, nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t *) \
    X(GetTopologyCommonAncestor, nvmlDevice_t, nvmlGpuTopologyLevel_t *) \
    X(GetCpuAffinity, unsigned int, unsigned long *) \
    X(SetCpuAffinity) \
    X(ClearCpuAffinity)

#endif
